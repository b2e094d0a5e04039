#include "provisioner/source/mirror_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ignition/yaml.h"
#include "provisioner/base/text.h"
#include "provisioner/registries/mirror_rules.h"
#include "provisioner/registries/registries_conf.h"

namespace prov::source {
namespace {

using registries::MirrorRule;
using registries::Mirrors;
using registries::RegistrySources;

struct MirrorKind {
  std::string_view kind, group;
  std::string_view list;  // of spec; "": it has no rules
  bool by_tag = false;
};
constexpr std::array<MirrorKind, 4> kMirrorKinds = {
    {{"ImageDigestMirrorSet", "config.openshift.io", "imageDigestMirrors"},
     {"ImageTagMirrorSet", "config.openshift.io", "imageTagMirrors", true},
     {"ImageContentSourcePolicy", "operator.openshift.io", "repositoryDigestMirrors"},
     {"Image", "config.openshift.io", ""}}};

const MirrorKind* KindOf(const JsonValue& object, std::string_view kind) {
  const auto* const found = std::ranges::find_if(
      kMirrorKinds, [&](const MirrorKind& one) { return one.kind == kind && IsOfGroup(object, one.group); });
  return found == kMirrorKinds.end() ? nullptr : found;
}

Result<void> AddRules(const ObjectView& holder, std::string_view list, bool by_tag, std::string_view policy,
                      std::vector<MirrorRule>& out) {
  for (const ObjectView& one : PROV_TRY(holder.Objects(list))) {
    MirrorRule rule;
    rule.source = PROV_TRY(one.TextOr("source", ""));
    if (rule.source.empty()) return Fail(Code::kInvalidConfig, "names no source", one.At("source"));
    rule.mirrors = PROV_TRY(one.TextsOrNone("mirrors"));
    rule.never_contact_source = PROV_TRY(one.TextOr(policy, "")) == "NeverContactSource";
    rule.by_tag = by_tag;
    out.push_back(std::move(rule));
  }
  return {};
}

Result<void> AddSources(const ObjectView& spec, RegistrySources& out) {
  const auto sources = PROV_TRY(spec.Object("registrySources"));
  if (!sources) return {};
  std::ranges::copy(PROV_TRY(sources->TextsOrNone("insecureRegistries")), std::back_inserter(out.insecure));
  std::ranges::copy(PROV_TRY(sources->TextsOrNone("blockedRegistries")), std::back_inserter(out.blocked));
  return {};
}

// YAML and JSON begin so; a registries.conf does not, although "[[registry]]" looks like an array.
bool HoldsObjects(std::string_view bytes) {
  std::string_view head = bytes.substr(0, bytes.find_first_of("{\"#=") + 1);
  if (head.ends_with('{') && head.find_first_not_of("[{ \t\r\n") == std::string_view::npos) return true;
  return std::ranges::any_of(Split(bytes, '\n'), [](std::string_view line) {
    return line.starts_with("apiVersion:") || line.starts_with("kind:") || line.starts_with("---");
  });
}

Result<Mirrors> ReadObjects(std::string bytes) {
  const auto document = PROV_TRY(ignition::ParseJsonOrYaml(std::move(bytes), {}, ignition::Documents::kSeveral));
  return PROV_TRY(ReadMirrorObjects(PROV_TRY(FindObjects(*document)).mirror_objects));
}

}  // namespace

bool IsMirrorObject(const JsonValue& object, std::string_view kind) { return KindOf(object, kind) != nullptr; }

Result<Mirrors> ReadMirrorObjects(std::span<const FoundObject> objects) {
  std::vector<MirrorRule> rules;
  RegistrySources sources;
  Mirrors out;
  for (const FoundObject& one : objects) {
    const MirrorKind& kind = *KindOf(one.object.value(), one.kind);
    out.places.push_back(fmt::format("{} {}", kind.kind, Shorten(PROV_TRY(ObjectName(one.object)))));
    const auto spec = PROV_TRY(one.object.Object("spec"));
    if (!spec) continue;
    if (kind.list.empty()) {
      PROV_TRY(AddSources(*spec, sources));
    } else {
      PROV_TRY(AddRules(*spec, kind.list, kind.by_tag, "mirrorSourcePolicy", rules));
    }
  }
  out.registries = registries::RegistriesOf(rules, sources);
  return out;
}

Result<Mirrors> ReadInstallMirrors(const ObjectView& config) {
  std::vector<MirrorRule> rules;
  Mirrors out;
  for (const std::string_view list : {"imageDigestSources", "imageContentSources"}) {
    if (config.Find(list) == nullptr) continue;
    PROV_TRY(AddRules(config, list, false, "sourcePolicy", rules));
    out.places.push_back(config.At(list));
  }
  out.registries = registries::RegistriesOf(rules, {});
  return out;
}

std::string RegistryOfKey(std::string_view key) {
  const std::size_t port = key.rfind("..");
  if (port == std::string_view::npos) return std::string(key);
  return fmt::format("{}:{}", key.substr(0, port), key.substr(port + 2));
}

Result<Mirrors> ReadMirrorFile(std::string bytes, const std::string& where, Findings& findings) {
  if (!HoldsObjects(bytes)) {
    Mirrors out;
    out.places.push_back(where);
    out.registries = PROV_TRY(registries::ParseRegistriesConf(bytes, where, findings));
    return out;
  }
  auto read = ReadObjects(std::move(bytes));
  if (!read && read.error().file.empty()) read.error().file = where;
  if (!read || read->stated()) return read;
  return Fail(Code::kKind,
              "holds no settings of image registries; give a registries.conf, or what oc get "
              "imagedigestmirrorsets,imagetagmirrorsets -o yaml prints",
              where);
}

}  // namespace prov::source
