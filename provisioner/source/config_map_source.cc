#include "provisioner/source/config_map_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ignition/shorten.h"
#include "provisioner/base/base64.h"

namespace prov::source {
namespace {

Result<bool> IsInjected(const ObjectView& metadata) {
  const auto labels = PROV_TRY(metadata.Object("labels"));
  return labels && PROV_TRY(labels->TextOr(kInjectBundleLabel, "")) == "true";
}

Result<void> RefuseSeveral(std::span<const ConfigMap> maps, std::string_view name) {
  const auto count = std::ranges::count(maps, name, &ConfigMap::name);
  if (count < 2) return {};
  return Fail(
      Code::kNotFound,
      fmt::format("{} ConfigMaps are called \"{}\", and which one counts can't be told; give a file with one of "
                  "them",
                  count, ignition::Shorten(name)),
      maps.front().object.path());
}

Result<const ConfigMap*> Choose(std::span<const ConfigMap> maps, std::string_view name) {
  if (!name.empty()) {
    const auto map = std::ranges::find(maps, name, &ConfigMap::name);
    if (map == maps.end()) {
      return Fail(Code::kNotFound, fmt::format("the ConfigMap \"{}\" is wanted, and is not there", name),
                  maps.front().object.path());
    }
    PROV_TRY(RefuseSeveral(maps, name));
    return &*map;
  }
  const ConfigMap* with_bundle = nullptr;
  std::size_t count = 0;
  for (const ConfigMap& map : maps) {
    if (!HasBundle(map)) continue;
    ++count;
    if (with_bundle == nullptr || map.name == kUserBundle) with_bundle = &map;
  }
  if (with_bundle == nullptr) return &maps.front();
  if (count == 1) return with_bundle;
  if (with_bundle->name == kUserBundle) {
    PROV_TRY(RefuseSeveral(maps, kUserBundle));
    return with_bundle;
  }
  return Fail(Code::kNotFound,
              fmt::format("{} ConfigMaps hold {}; say with --name which one is meant", count, kBundleKey),
              with_bundle->object.path());
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

bool HasBundle(const ConfigMap& map) {
  for (const std::string_view part : {"data", "binaryData"}) {
    const ignition::JsonValue* values = map.object.Find(part);
    if (values != nullptr && values->IsObject() && ignition::Member(values, kBundleKey) != nullptr) return true;
  }
  return false;
}

// As the machine-config operator reads them: binaryData first, and data may be base64 as a whole.
Result<TrustText> BundleOf(const ConfigMap& map) {
  TrustText out{map.object.At("data"), "", false, map.merged};
  if (const auto binary = PROV_TRY(map.object.Object("binaryData"))) {
    if (const auto text = PROV_TRY(binary->Text(kBundleKey))) {
      out.where = binary->At(kBundleKey);
      out.bytes = PROV_TRY(DecodeTrustBase64(*text, "", out.where));
      return out;
    }
  }
  const auto data = PROV_TRY(map.object.Object("data"));
  const auto text = data ? PROV_TRY(data->Text(kBundleKey)) : std::nullopt;
  if (!text) {
    return Fail(Code::kInvalidConfig,
                fmt::format("the ConfigMap \"{}\" is missing \"{}\"{}", ignition::Shorten(map.name), kBundleKey,
                            map.merged ? "; the cluster has not filled it yet" : ""),
                out.where);
  }
  out.where = data->At(kBundleKey);
  std::string packed(*text);
  std::erase_if(packed, [](char c) { return c == '\r' || c == '\n'; });  // Go's decoder passes over them, too
  auto decoded = packed.empty() ? std::string() : DecodeBase64(packed).value_or("");
  out.bytes = decoded.empty() ? std::string(*text) : std::move(decoded);
  return out;
}

Result<Reading> ReadConfigMaps(std::span<const ConfigMap> maps, std::string_view name) {
  const ConfigMap& map = *PROV_TRY(Choose(maps, name));
  Reading out;
  out.config.source = {"ConfigMap", std::string(map.name), ""};
  out.trust = PROV_TRY(BundleOf(map));
  AddInfo(out.config.findings, "no-proxy-file",
          "a ConfigMap makes no statement about the proxy, so proxy settings stay as they are", map.object.path());
  return out;
}

}  // namespace prov::source
