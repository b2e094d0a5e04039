#include "provisioner/publish/pod_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/publish/yaml_writer.h"
#include "provisioner/source/kube_uri.h"
#include "templates/templates.h"

namespace prov::publish {
namespace {

using PolicyMemory = rapidjson::Document::AllocatorType;

constexpr std::size_t kMostLabel = 63;    // characters of a label's name or value
constexpr std::size_t kMostPrefix = 253;  // of the name's prefix

bool IsLabelText(std::string_view text) {
  const auto is_end = [](char c) { return IsLetter(c) || IsDigit(c); };
  return !text.empty() && text.size() <= kMostLabel && is_end(text.front()) && is_end(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return is_end(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsLabelKey(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return IsLabelText(text);
  const std::string_view prefix = text.substr(0, slash);
  return prefix.size() <= kMostPrefix && source::IsKubeName(prefix) && IsLabelText(text.substr(slash + 1));
}

// KEY, !KEY, KEY=VALUE, KEY!=VALUE
std::optional<LabelRequirement> RequirementOf(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    const bool excludes = text.starts_with('!');
    const std::string_view key = TrimBlanks(text.substr(excludes ? 1 : 0));
    if (!IsLabelKey(key)) return std::nullopt;
    return LabelRequirement{std::string(key), excludes ? "DoesNotExist" : "Exists", {}};
  }
  const bool differs = equals > 0 && text[equals - 1] == '!';
  const std::string_view key = TrimBlanks(text.substr(0, differs ? equals - 1 : equals));
  const std::string_view value = TrimBlanks(text.substr(equals + 1));
  if (!IsLabelKey(key) || !(value.empty() || IsLabelText(value))) return std::nullopt;
  return LabelRequirement{std::string(key), differs ? "NotIn" : "In", {std::string(value)}};
}

JsonValue CopyOf(std::string_view text, PolicyMemory& memory) {
  return JsonValue(text.data(), static_cast<rapidjson::SizeType>(text.size()), memory);
}

JsonValue SelectorObject(const std::vector<LabelRequirement>& requirements, PolicyMemory& memory) {
  JsonValue expressions(rapidjson::kArrayType);
  for (const LabelRequirement& requirement : requirements) {
    JsonValue one(rapidjson::kObjectType);
    SetMember(one, "key", CopyOf(requirement.key, memory), memory);
    SetMember(one, "operator", CopyOf(requirement.what, memory), memory);
    if (!requirement.values.empty()) {
      JsonValue values(rapidjson::kArrayType);
      for (const std::string& value : requirement.values) values.PushBack(CopyOf(value, memory), memory);
      SetMember(one, "values", std::move(values), memory);
    }
    expressions.PushBack(std::move(one), memory);
  }
  JsonValue out(rapidjson::kObjectType);
  if (!requirements.empty()) SetMember(out, "matchExpressions", std::move(expressions), memory);
  return out;
}

}  // namespace

Result<std::vector<LabelRequirement>> ParseLabelSelector(std::string_view text, const std::string& where) {
  std::vector<LabelRequirement> out;
  if (TrimBlanks(text).empty()) return out;
  for (const auto part : std::views::split(text, ',')) {
    const std::string_view one = TrimBlanks(std::string_view(part));
    auto requirement = RequirementOf(one);
    if (!requirement) {
      return Fail(Code::kUsage,
                  fmt::format("takes KEY=VALUE, KEY!=VALUE, KEY and !KEY, with commas between them, such as "
                              "env=prod,!canary, not \"{}\"; write other selectors into the binding that is printed",
                              Printable(one)),
                  where);
    }
    out.push_back(*std::move(requirement));
  }
  return out;
}

Result<PodParamsPlace> ParsePodParamsPlace(std::string_view text, const std::string& where) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    PodParamsPlace out{std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
    if (source::IsKubeName(out.name_space) && source::IsKubeName(out.name)) return out;
  }
  return Fail(Code::kUsage,
              fmt::format("takes NAMESPACE/NAME of a ConfigMap, such as egress-provisioner/pod-params, not \"{}\"",
                          Printable(text)),
              where);
}

bool IsPlatformNamespace(std::string_view name) { return name.starts_with("kube-") || name.starts_with("openshift-"); }

Result<Object> MakePodPolicy(const PodPolicy& policy) {
  Object out = PROV_TRY(ReadManifest(fmt::format("{}---\n{}", templates::PodPolicyYaml(), templates::PodParamsYaml()),
                                     "pod-policy.yaml"));
  PolicyMemory& memory = out.document->dom.GetAllocator();
  for (JsonValue& object : out.root->GetArray())
    SetMember(object["metadata"]["labels"], "app.kubernetes.io/version", CopyOf(policy.version, memory), memory);
  JsonValue& binding = (*out.root)[1]["spec"];
  SetMember(binding["paramRef"], "namespace", CopyOf(policy.params_place.name_space, memory), memory);
  SetMember(binding["paramRef"], "name", CopyOf(policy.params_place.name, memory), memory);
  if (policy.namespaces)
    SetMember(binding["matchResources"], "namespaceSelector", SelectorObject(*policy.namespaces, memory), memory);
  JsonValue& map = (*out.root)[2];
  SetMember(map["metadata"], "namespace", CopyOf(policy.params_place.name_space, memory), memory);
  SetMember(map["metadata"], "name", CopyOf(policy.params_place.name, memory), memory);
  JsonValue data(rapidjson::kObjectType);
  for (const auto& [key, value] : policy.params) SetMember(data, key, CopyOf(value, memory), memory);
  SetMember(map, "data", std::move(data), memory);
  return out;
}

std::string WritePodPolicy(const Object& objects, bool json) {
  if (!json) return WriteManifest(objects);
  JsonDocument list;
  PolicyMemory& memory = list.dom.GetAllocator();
  list.dom.SetObject();
  SetMember(list.dom, "apiVersion", JsonReference("v1"), memory);
  SetMember(list.dom, "kind", JsonReference("List"), memory);
  SetMember(list.dom, "items", JsonValue(*objects.root, memory), memory);
  return WriteJson(list.dom, kJsonIndent);
}

}  // namespace prov::publish
