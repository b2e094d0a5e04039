#include "provisioner/source/trust_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"
#include "provisioner/source/source_members.h"

namespace prov::source {
namespace {

// Where a ConfigMap has its values; of the same key in both, readers take that in binaryData.
constexpr std::array<std::string_view, 2> kValueParts = {"binaryData", "data"};

Result<bool> IsInjected(const ObjectView& metadata) {
  const auto labels = PROV_TRY(metadata.Object("labels"));
  return labels && PROV_TRY(labels->TextOr(kInjectBundleLabel, "")) == "true";
}

std::unexpected<Error> SeveralOf(std::string_view name, const ConfigMap& one) {
  return Fail(Code::kNotFound,
              fmt::format("several ConfigMaps are called \"{}\", and it is unknown which one the cluster uses; give a "
                          "file with only one",
                          Shorten(name)),
              one.object.path());
}

// Whether the text has a certificate in PEM, and not only keys or requests.
bool HoldsPem(std::string_view text) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin, at)) {
    at += kBegin.size();
    const std::string_view label = text.substr(at, text.find("-----", at) - at);
    if (label.ends_with("CERTIFICATE")) return true;
  }
  return false;
}

// The keys of the map, or those of them that hold certificates in PEM. Other formats of the same certificates, as
// trust-manager writes them beside PEM, are no PEM.
std::vector<std::string_view> KeysOf(const ConfigMap& map, bool with_certificates) {
  std::vector<std::string_view> out;
  for (const std::string_view part : kValueParts) {
    const JsonValue* values = map.object.Find(part);
    if (values == nullptr || !values->IsObject()) continue;
    for (auto one = values->MemberBegin(); one != values->MemberEnd(); ++one) {
      const std::string_view text = one->value.IsString() ? JsonTextOf(one->value) : std::string_view();
      if (with_certificates && !HoldsPem(part == "data" ? std::string(text) : DecodeBase64(text).value_or("")))
        continue;
      out.push_back(JsonTextOf(one->name));
    }
  }
  return out;
}

std::unexpected<Error> MissingKey(const ConfigMap& map, std::string_view key) {
  const std::vector<std::string_view> keys = KeysOf(map, false);
  return Fail(Code::kInvalidConfig,
              fmt::format("the ConfigMap \"{}\" is missing \"{}\"{}{}", Shorten(map.name), Shorten(key),
                          keys.empty() ? "" : fmt::format("; its keys are: {}", ListInShort(keys)),
                          map.merged ? "; the cluster has not filled it yet" : ""),
              map.object.At("data"));
}

// ca-bundle.crt, else the only key with certificates.
Result<std::string_view> BundleKeyOf(const ConfigMap& map) {
  if (HasBundle(map)) return kBundleKey;
  const std::vector<std::string_view> keys = KeysOf(map, true);
  if (keys.empty()) return kBundleKey;  // its reader says what is wrong
  if (keys.size() == 1) return keys.front();
  return Fail(
      Code::kInvalidConfig,
      fmt::format("the ConfigMap \"{}\" holds certificates in several keys: {}; name the one that counts, as in "
                  "kube:///configmap/NAMESPACE/NAME:KEY, or give a file with only that key",
                  Shorten(map.name), ListInShort(keys)),
      map.object.At("data"));
}

Result<const ConfigMap*> Choose(std::span<const ConfigMap> maps, std::string_view name) {
  const bool has_user_bundle =
      std::ranges::any_of(maps, [](const ConfigMap& map) { return map.name == kUserBundle && HasBundle(map); });
  if (name.empty() && has_user_bundle) name = kUserBundle;
  const bool usual = std::ranges::any_of(maps, HasBundle);
  const auto is_wanted = [&](const ConfigMap& map) {
    if (!name.empty()) return map.name == name;
    return usual ? HasBundle(map) : !KeysOf(map, true).empty();
  };
  const auto found = std::ranges::find_if(maps, is_wanted);
  const auto count = std::ranges::count_if(maps, is_wanted);
  if (count == 1) return &*found;
  if (count > 1 && !name.empty()) return SeveralOf(name, *found);
  if (count > 1) {
    std::vector<std::string_view> names;
    for (const ConfigMap& map : maps) {
      if (is_wanted(map)) names.push_back(map.name);
    }
    return Fail(Code::kNotFound,
                fmt::format("{} ConfigMaps hold {}: {}; say with --name which one is meant", count,
                            usual ? kBundleKey : "certificates", ListInShort(names)),
                found->object.path());
  }
  if (name.empty()) return &maps.front();
  return Fail(Code::kNotFound, fmt::format("the ConfigMap \"{}\" is wanted, and is not there", name),
              maps.front().object.path());
}

// Reports other keys that hold certificates.
Result<void> ReportOtherKeys(const ConfigMap& map, std::string_view taken, egress::EgressConfig& config) {
  const auto data = PROV_TRY(map.object.Object("data"));
  if (!data) return {};
  for (const std::string_view key : data->Names()) {
    const JsonValue* value = data->Find(key);
    if (key == taken || value == nullptr || !value->IsString()) continue;
    if (!HoldsPem(JsonTextOf(*value))) continue;
    ReportNotRead(Subject::kTrust, Shorten(key), fmt::format("only {} is", Shorten(taken)), data->At(key), config);
  }
  return {};
}

void StateTrustOnly(std::string_view kind, const ObjectView& object, egress::EgressConfig& config) {
  AddInfo(config.findings, "no-proxy-file",
          fmt::format("a {} makes no statement about the proxy, so proxy settings stay as they are", kind),
          object.path());
}

}  // namespace

Result<ConfigMap> ReadConfigMapHead(const ObjectView& object) {
  ConfigMap out{object, "", "", false};
  const auto metadata = PROV_TRY(object.Object("metadata"));
  if (!metadata) return out;
  out.name = PROV_TRY(metadata->TextOr("name", ""));
  out.name_space = PROV_TRY(metadata->TextOr("namespace", ""));
  out.merged = out.name == kMergedBundle || PROV_TRY(IsInjected(*metadata));
  return out;
}

Result<std::vector<ConfigMap>> ReadConfigMapHeads(std::span<const FoundObject> objects) {
  std::vector<ConfigMap> out;
  for (const FoundObject& one : objects) out.push_back(PROV_TRY(ReadConfigMapHead(one.object)));
  return out;
}

std::string NamesWithCertificates(std::span<const FoundObject> maps) {
  std::vector<std::string_view> out;
  for (const FoundObject& one : maps) {
    const auto map = ReadConfigMapHead(one.object);
    if (map && !KeysOf(*map, true).empty()) out.push_back(map->name);
  }
  return ListInShort(out);
}

bool HasBundle(const ConfigMap& map) {
  return std::ranges::any_of(kValueParts, [&](std::string_view part) {
    const JsonValue* values = map.object.Find(part);
    return values != nullptr && values->IsObject() && JsonMember(values, kBundleKey) != nullptr;
  });
}

// Reads the map as the machine-config operator does: binaryData first, and data may be base64 as a whole.
Result<TrustText> BundleOf(const ConfigMap& map, std::string_view key) {
  TrustText out{"", "", false, map.merged};
  if (const auto binary = PROV_TRY(map.object.Object("binaryData"))) {
    if (const auto text = PROV_TRY(binary->Text(key))) {
      out.where = binary->At(key);
      out.bytes = PROV_TRY(DecodeTrustBase64(*text, "", out.where));
      return out;
    }
  }
  const auto data = PROV_TRY(map.object.Object("data"));
  const auto text = data ? PROV_TRY(data->Text(key)) : std::nullopt;
  if (!text) return MissingKey(map, key);
  out.where = data->At(key);
  std::string packed(*text);
  std::erase_if(packed, [](char c) { return c == '\r' || c == '\n'; });  // Go's decoder skips them, too
  auto decoded = packed.empty() ? std::string() : DecodeBase64(packed).value_or("");
  out.bytes = decoded.empty() ? std::string(*text) : std::move(decoded);
  return out;
}

Result<const ConfigMap*> FindMap(std::span<const ConfigMap> maps, std::string_view name, std::string_view name_space) {
  const ConfigMap* found = nullptr;
  for (const ConfigMap& map : maps) {
    const bool elsewhere = !map.name_space.empty() && !name_space.empty() && map.name_space != name_space;
    if (map.name != name || elsewhere) continue;
    if (found != nullptr) return SeveralOf(name, map);
    found = &map;
  }
  return found;
}

Result<Reading> ReadConfigMap(const ConfigMap& map, std::string_view key) {
  Reading out;
  out.config.source = {"ConfigMap", std::string(map.name), ""};
  const std::string_view taken = key.empty() ? PROV_TRY(BundleKeyOf(map)) : key;
  out.trust.push_back(PROV_TRY(BundleOf(map, taken)));
  if (key.empty()) PROV_TRY(ReportOtherKeys(map, taken, out.config));  // otherwise a person has left them out
  StateTrustOnly("ConfigMap", map.object, out.config);
  return out;
}

Result<Reading> ReadConfigMaps(std::span<const ConfigMap> maps, std::string_view name) {
  return ReadConfigMap(*PROV_TRY(Choose(maps, name)), "");
}

Result<Reading> ReadClusterTrustBundle(const ObjectView& object) {
  Reading out;
  out.config.source = {"ClusterTrustBundle", std::string(PROV_TRY(ObjectName(object))), ""};
  const auto spec = PROV_TRY(object.Object("spec"));
  const auto text = spec ? PROV_TRY(spec->Text("trustBundle")) : std::nullopt;
  if (!text) {
    return Fail(Code::kInvalidConfig, "the ClusterTrustBundle has no spec.trustBundle, which holds the certificates",
                spec ? spec->At("trustBundle") : object.At("spec"));
  }
  // The API server takes none without a certificate.
  out.trust.push_back({spec->At("trustBundle"), std::string(*text), false});
  ReportOtherMembers("ClusterTrustBundle", object, out.config);
  StateTrustOnly("ClusterTrustBundle", object, out.config);
  return out;
}

}  // namespace prov::source
