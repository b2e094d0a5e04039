// Policies in the form of HNS.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/rapidjson.h"
#include "provisioner/base/text.h"
#include "provisioner/hns/answer.h"
#include "provisioner/hns/policy.h"

namespace prov::hns {
namespace {

// Writes a member; leaves out an empty one.
void WriteText(JsonWriter& json, std::string_view name, std::string_view text) {
  if (!text.empty()) json.Member(name, text);
}

void WriteTexts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  if (!texts.empty()) json.Strings(name, texts);
}

// Writes a number; other text, which Validate() refuses, as a string.
void WriteNumber(JsonWriter& json, std::string_view name, std::string_view digits) {
  const auto value = ParseDecimal(digits, std::numeric_limits<unsigned>::max());
  if (!value) return WriteText(json, name, digits);
  if (*value != 0) json.Key(name).Int(static_cast<std::int64_t>(*value));
}

void WriteExceptions(JsonWriter& json, std::string_view name, const Exceptions& exceptions) {
  json.Key(name).BeginObject();
  WriteTexts(json, "IpAddressExceptions", exceptions.addresses);
  WriteTexts(json, "PortExceptions", exceptions.ports);
  json.EndObject();
}

// Records the Settings of policies of our type while a document is parsed, by their places in the stream.
class SettingsFinder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, SettingsFinder> {
 public:
  explicit SettingsFinder(std::string_view text) : text_(text), stream_(text.data(), text.size()) {}

  // nullopt: not a JSON object.
  std::optional<std::vector<std::string>> Find() {
    const auto end = rapidjson::Reader().Parse<rapidjson::kParseIterativeFlag>(stream_, *this);
    if (end.IsError() || !is_object_) return std::nullopt;
    return std::move(found_);
  }

  bool StartObject() {
    if (levels_.empty()) is_object_ = true;
    if (InPolicy()) begin_ = stream_.Tell();
    if (AtPolicy()) {
      is_ours_ = false;
      settings_ = "{}";
    }
    levels_.push_back({true, {}});
    return true;
  }
  bool EndObject(rapidjson::SizeType /*members*/) {
    levels_.pop_back();
    if (InPolicy() && levels_.back().key == "Settings") settings_ = text_.substr(begin_, stream_.Tell() + 1 - begin_);
    if (AtPolicy() && is_ours_) found_.emplace_back(settings_);
    return true;
  }
  bool StartArray() {
    levels_.push_back({false, {}});
    return true;
  }
  bool EndArray(rapidjson::SizeType /*items*/) {
    levels_.pop_back();
    return true;
  }
  bool Key(const char* bytes, rapidjson::SizeType size, bool /*copy*/) {
    levels_.back().key.assign(bytes, size);
    return true;
  }
  bool String(const char* bytes, rapidjson::SizeType size, bool /*copy*/) {
    if (InPolicy() && levels_.back().key == "Type") is_ours_ = std::string_view(bytes, size) == kPolicyType;
    return true;
  }

 private:
  struct Level {
    bool is_object;
    std::string key;
  };

  // The next value is an item of $.Policies, or a member of one.
  bool AtPolicy() const {
    return levels_.size() == 2 && levels_[0].is_object && levels_[0].key == "Policies" && !levels_[1].is_object;
  }
  bool InPolicy() const {
    return levels_.size() == 3 && levels_[0].is_object && levels_[0].key == "Policies" && !levels_[1].is_object &&
           levels_[2].is_object;
  }

  std::string_view text_;
  rapidjson::MemoryStream stream_;
  std::vector<Level> levels_;
  std::size_t begin_ = 0;
  std::string_view settings_;
  bool is_ours_ = false;
  bool is_object_ = false;
  std::vector<std::string> found_;
};

std::string Quoted(std::string_view text) { return JsonWriter().String(text).OneLine(); }

std::string Canonical(const JsonNode& node, std::string_view name);

std::string CanonicalItems(const std::vector<JsonNode>& items, std::string_view name) {
  std::vector<std::string> texts;
  texts.reserve(items.size());
  for (const JsonNode& item : items) texts.push_back(Canonical(item, {}));
  if (name.ends_with("Exceptions")) {
    std::ranges::sort(texts);
    texts.erase(std::ranges::unique(texts).begin(), texts.end());
  }
  return texts.empty() ? std::string() : fmt::format("[{}]", fmt::join(texts, ","));
}

std::string CanonicalMembers(std::vector<std::pair<std::string, std::string>> members) {
  std::ranges::sort(members);
  std::string out;
  for (const auto& [name, value] : members) {
    if (!value.empty()) out += fmt::format("{}{}:{}", out.empty() ? "" : ",", Quoted(name), value);
  }
  return out.empty() ? std::string() : fmt::format("{{{}}}", out);
}

// A text that is equal for equal values; "" for a value without a meaning. `name` is the name of its member.
std::string Canonical(const JsonNode& node, std::string_view name) {
  if (node.IsNull()) return {};
  if (const auto number = node.Integer()) {
    const std::string digits = fmt::format("{}", *number);
    return name == "Priority" && digits == "0" ? std::string() : Quoted(digits);
  }
  if (const auto text = node.Text()) {
    return text->empty() || (name == "Priority" && *text == "0") ? std::string() : Quoted(*text);
  }
  if (const auto items = node.Items()) return CanonicalItems(*items, name);
  const auto members = node.Members();
  if (!members) return node.Json();  // true, false, or a fraction
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [key, value] : *members) texts.emplace_back(key, Canonical(value, key));
  return CanonicalMembers(std::move(texts));
}

// Replaces the Port of 2019 by the newer ports that are absent.
void ReplacePort(std::vector<std::pair<std::string, std::string>>& members) {
  const auto find = [&members](std::string_view name) {
    return std::ranges::find(members, name, [](const auto& member) { return std::string_view(member.first); });
  };
  for (const std::string_view name : {"InboundProxyPort", "OutboundProxyPort"}) {
    if (const auto found = find(name); found != members.end() && !found->second.empty()) return;
  }
  const auto port = find("Port");
  if (port == members.end()) return;
  const std::string value = port->second;
  std::erase_if(members, [](const auto& member) {
    return member.first == "Port" || member.first == "InboundProxyPort" || member.first == "OutboundProxyPort";
  });
  members.emplace_back("InboundProxyPort", value);
  members.emplace_back("OutboundProxyPort", value);
}

}  // namespace

std::string SettingsJson(const Policy& policy) {
  const FilterTuple& filter = policy.filter;
  JsonWriter json;
  json.BeginObject();
  WriteText(json, "InboundProxyPort", policy.inbound_port);
  WriteText(json, "OutboundProxyPort", policy.outbound_port);
  json.Key("FilterTuple").BeginObject();
  WriteText(json, "Protocols", filter.protocols);
  WriteText(json, "LocalAddresses", filter.local_addresses);
  WriteText(json, "RemoteAddresses", filter.remote_addresses);
  WriteText(json, "LocalPorts", filter.local_ports);
  WriteText(json, "RemotePorts", filter.remote_ports);
  WriteNumber(json, "Priority", filter.priority);
  json.EndObject();
  WriteText(json, "UserSID", policy.user_sid);
  WriteExceptions(json, "InboundExceptions", policy.inbound);
  WriteExceptions(json, "OutboundExceptions", policy.outbound);
  // HNS' own clients send one line, and the tests compare it byte for byte.
  return json.EndObject().OneLine();
}

std::string EndpointPolicyJson(std::string_view settings) {
  return fmt::format(R"({{"Type":"{}","Settings":{}}})", kPolicyType, settings);
}

std::string CniEntryJson(CniPlugin plugin, std::string_view settings) {
  // Member names in lower case, as the other entries of win-overlay have them.
  if (plugin == CniPlugin::kWinOverlay) {
    return fmt::format(R"({{"name":"EndpointPolicy","value":{{"type":"{}","settings":{}}}}})", kPolicyType, settings);
  }
  // The settings are never an empty object: they have a FilterTuple.
  return fmt::format(R"({{"Name":"EndpointPolicy","Value":{{"Type":"{}",{}}})", kPolicyType, settings.substr(1));
}

std::string ModifyRequest(Modification kind, std::span<const std::string> settings) {
  std::string policies;
  for (const std::string& one : settings) policies += (policies.empty() ? "" : ",") + EndpointPolicyJson(one);
  return fmt::format(R"({{"ResourceType":"Policy","RequestType":"{}","Settings":{{"Policies":[{}]}}}})",
                     kind == Modification::kAdd ? "Add" : "Remove", policies);
}

Result<std::vector<std::string>> ListedSettings(std::string_view endpoint_properties, const std::string& where) {
  auto found = SettingsFinder(endpoint_properties).Find();
  if (found) return *std::move(found);
  return Fail(Code::kHns,
              fmt::format("the answer of HNS about the endpoint ({}) is not a JSON object", CodeText(kDone)), where);
}

std::string CanonicalSettings(std::string_view settings) {
  const auto root = ParseJsonDocument(settings, "settings");
  if (!root) return std::string(settings);
  const auto members = root->Members();
  if (!members) return std::string(settings);
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [name, value] : *members) texts.emplace_back(name, Canonical(value, name));
  ReplacePort(texts);
  const std::string out = CanonicalMembers(std::move(texts));
  return out.empty() ? "{}" : out;
}

bool SameSettings(std::string_view first, std::string_view second) {
  return first == second || CanonicalSettings(first) == CanonicalSettings(second);
}

}  // namespace prov::hns
