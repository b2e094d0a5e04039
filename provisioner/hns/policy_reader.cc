// Reads policies as users write them: the file formats, and names for numbers or SIDs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/suggestion.h"
#include "provisioner/base/text.h"
#include "provisioner/hns/policy.h"

namespace prov::hns {
namespace {

std::unexpected<Error> RefuseMember(const JsonNode& node, std::string_view name,
                                    std::span<const std::string_view> known) {
  const std::string near = DidYouMean(name, known);
  return node.Refuse(Code::kPolicy,
                     fmt::format("\"{}\" is not a member that HNS knows here; {}", Shorten(name),
                                 near.empty() ? fmt::format("it knows {}", fmt::join(known, ", ")) : near));
}

using Members = std::vector<std::pair<std::string, JsonNode>>;

// The members that are not null.
Result<Members> MembersOf(const JsonNode& node, std::string_view wanted) {
  auto members = node.Members();
  if (!members) return node.Refuse(Code::kPolicy, fmt::format("is not {}", wanted));
  std::erase_if(*members, [](const auto& member) { return member.second.IsNull(); });
  return *std::move(members);
}

// A number or its text.
Result<std::string> NumberText(const JsonNode& node) {
  if (auto text = node.Text()) return *std::move(text);
  if (const auto number = node.Integer()) return fmt::format("{}", *number);
  return node.Refuse(Code::kPolicy, "is neither a text nor a whole number");
}

Result<std::vector<std::string>> Texts(const JsonNode& node) {
  auto items = node.Items();
  if (!items) return node.Refuse(Code::kPolicy, "is not a list; write [\"…\"], also for one item");
  std::vector<std::string> out;
  for (const JsonNode& item : *items) out.push_back(PROV_TRY(NumberText(item)));
  return out;
}

Result<Exceptions> ReadExceptions(const JsonNode& node) {
  constexpr std::array<std::string_view, 2> kKnown = {"IpAddressExceptions", "PortExceptions"};
  Exceptions out;
  for (const auto& [name, value] : PROV_TRY(MembersOf(node, "an object with IpAddressExceptions, PortExceptions"))) {
    if (name == kKnown[0]) {
      out.addresses = PROV_TRY(Texts(value));
    } else if (name == kKnown[1]) {
      out.ports = PROV_TRY(Texts(value));
    } else {
      return RefuseMember(value, name, kKnown);
    }
  }
  return out;
}

Result<FilterTuple> ReadFilter(const JsonNode& node) {
  FilterTuple out;
  const std::array<std::pair<std::string_view, std::string*>, 6> texts = {{{"Protocols", &out.protocols},
                                                                           {"LocalAddresses", &out.local_addresses},
                                                                           {"RemoteAddresses", &out.remote_addresses},
                                                                           {"LocalPorts", &out.local_ports},
                                                                           {"RemotePorts", &out.remote_ports},
                                                                           {"Priority", &out.priority}}};
  for (const auto& [name, value] : PROV_TRY(MembersOf(node, "an object such as {\"Protocols\":\"6\"}"))) {
    const auto text = std::ranges::find(texts, std::string_view(name), &decltype(texts)::value_type::first);
    if (text == texts.end()) {
      std::array<std::string_view, texts.size()> known;
      std::ranges::transform(texts, known.begin(), &decltype(texts)::value_type::first);
      return RefuseMember(value, name, known);
    }
    *text->second = PROV_TRY(NumberText(value));
  }
  return out;
}

// Reads one member of the settings. False: the name is unknown.
Result<bool> ReadMember(std::string_view name, const JsonNode& value, Policy& out, std::optional<JsonNode>& port) {
  if (name == "Port") {
    port = value;
  } else if (name == "InboundProxyPort") {
    out.inbound_port = PROV_TRY(NumberText(value));
  } else if (name == "OutboundProxyPort") {
    out.outbound_port = PROV_TRY(NumberText(value));
  } else if (name == "UserSID") {
    auto text = value.Text();
    if (!text) return value.Refuse(Code::kPolicy, "is not a text");
    out.user_sid = *std::move(text);
  } else if (name == "FilterTuple") {
    out.filter = PROV_TRY(ReadFilter(value));
  } else if (name == "InboundExceptions") {
    out.inbound = PROV_TRY(ReadExceptions(value));
  } else if (name == "OutboundExceptions") {
    out.outbound = PROV_TRY(ReadExceptions(value));
  } else {
    return false;
  }
  return true;
}

Result<Policy> ReadSettings(const Members& members, std::string where) {
  constexpr std::array<std::string_view, 7> kKnown = {
      "InboundProxyPort",  "OutboundProxyPort",  "FilterTuple", "UserSID",
      "InboundExceptions", "OutboundExceptions", "Port"};
  Policy out;
  out.where = std::move(where);
  std::optional<JsonNode> port;
  for (const auto& [name, value] : members) {
    if (!PROV_TRY(ReadMember(name, value, out, port))) return RefuseMember(value, name, kKnown);
  }
  if (port) {
    if (!out.inbound_port.empty() || !out.outbound_port.empty()) {
      return port->Refuse(Code::kPolicy,
                          "is beside InboundProxyPort or OutboundProxyPort, and means both; leave it out");
    }
    out.inbound_port = PROV_TRY(NumberText(*port));
    out.outbound_port = out.inbound_port;
  }
  Tidy(out);
  return out;
}

Result<void> CheckType(const JsonNode& policy) {
  const auto type = PROV_TRY(policy.Find("Type"));
  if (!type) return policy.Refuse(Code::kPolicy, fmt::format("has no Type; write \"Type\": \"{}\"", kPolicyType));
  const auto text = type->Text();
  if (text && *text == kPolicyType) return {};
  if (text && EqualsIgnoreAsciiCase(*text, kPolicyType))
    return type->Refuse(Code::kPolicy,
                        fmt::format("is \"{}\", and HNS compares letters: write {}", *text, kPolicyType));
  return type->Refuse(Code::kPolicy, fmt::format("is another type of policy; only {} is taken here", kPolicyType));
}

Result<Policy> ReadPolicy(const JsonNode& node, const std::string& place) {
  Members members = PROV_TRY(MembersOf(node, "a policy, which is an object with Type and Settings"));
  PROV_TRY(CheckType(node));
  std::erase_if(members, [](const auto& member) { return member.first == "Type"; });
  const auto settings = std::ranges::find(members, "Settings", &Members::value_type::first);
  if (settings == members.end()) return ReadSettings(members, place);
  if (members.size() > 1) {
    const auto& other = members[settings == members.begin() ? 1 : 0];
    return other.second.Refuse(Code::kPolicy, "is beside Settings and not in it; put it into Settings");
  }
  const Members inner = PROV_TRY(MembersOf(settings->second, "an object"));
  return ReadSettings(inner, place + ".Settings");
}

// Removes blanks around the items of a list.
std::string TidyList(std::string_view text) {
  std::vector<std::string_view> items = Split(text, ',');
  for (std::string_view& item : items) item = TrimBlanks(item);
  return fmt::format("{}", fmt::join(items, ","));
}

// S-1-5-18 is LocalSystem, S-1-5-20 NetworkService, S-1-5-32-556 the group Network Configuration Operators.
std::string SidOf(std::string_view account) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kAccounts = {
      {{"system", "S-1-5-18"}, {"network-service", "S-1-5-20"}, {"network-configuration-operators", "S-1-5-32-556"}}};
  account = TrimBlanks(account);
  for (const auto& [name, sid] : kAccounts) {
    if (EqualsIgnoreAsciiCase(account, name)) return std::string(sid);
  }
  return std::string(account);
}

}  // namespace

void Tidy(Policy& policy) {
  FilterTuple& filter = policy.filter;
  for (std::string* text : {&policy.inbound_port, &policy.outbound_port, &filter.protocols, &filter.local_addresses,
                            &filter.remote_addresses, &filter.local_ports, &filter.remote_ports, &filter.priority})
    *text = TidyList(*text);
  for (Exceptions* exceptions : {&policy.inbound, &policy.outbound}) {
    for (std::vector<std::string>* list : {&exceptions->addresses, &exceptions->ports}) {
      for (std::string& item : *list) item = TrimBlanks(item);
    }
  }
  if (filter.protocols.empty() || EqualsIgnoreAsciiCase(filter.protocols, "tcp")) filter.protocols = "6";
  policy.user_sid = SidOf(policy.user_sid);
}

Result<std::vector<Policy>> ReadPolicies(std::string bytes, const std::string& where) {
  if (bytes.size() > kMostPolicyBytes)
    return Fail(Code::kTooLarge, fmt::format("has more than the {} bytes that policies may have", kMostPolicyBytes),
                where);
  if (!DecodeMarked(bytes))
    return Fail(Code::kJson, "not JSON: it begins as UTF-16, and is cut short or damaged; save it as UTF-8", where);
  if (TrimBlanks(bytes).empty())
    return Fail(Code::kJson, "is empty; write a policy: {\"Type\":\"L4WFPPROXY\",\"Settings\":{…}}", where);
  const JsonNode root = PROV_TRY(ParseJsonDocument(bytes, where));
  std::vector<Policy> out;
  const auto items = root.Items();
  if (!items) {
    out.push_back(PROV_TRY(ReadPolicy(root, where + ": $")));
    return out;
  }
  if (items->empty()) return root.Refuse(Code::kPolicy, "holds no policy; `hns-proxy clear` takes policies away");
  for (const JsonNode& item : *items)
    out.push_back(PROV_TRY(ReadPolicy(item, fmt::format("{}: $[{}]", where, out.size()))));
  return out;
}

}  // namespace prov::hns
