#include "provisioner/source/pod_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace prov::source {
namespace {

constexpr std::string_view kLinuxSystem = "linux";
constexpr std::string_view kWindowsSystem = "windows";
constexpr std::array<std::string_view, 2> kOsLabels = {kOsLabel, "beta.kubernetes.io/os"};
// The kubelet sets it on Windows alone.
constexpr std::string_view kWindowsBuild = "node.kubernetes.io/windows-build";
// Roles that Windows nodes never have.
constexpr std::array<std::string_view, 3> kLinuxRoles = {
    "node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/infra", "node-role.kubernetes.io/master"};
constexpr unsigned kDeepestTemplate = 8;

bool IsOsLabel(std::string_view key) { return std::ranges::find(kOsLabels, key) != kOsLabels.end(); }

// The system of all nodes that have the label, whatever its value; "": of no certain system.
std::string_view SystemOfLabel(std::string_view key) {
  if (key == kWindowsBuild) return kWindowsSystem;
  return std::ranges::find(kLinuxRoles, key) != kLinuxRoles.end() ? kLinuxSystem : std::string_view();
}

Result<void> AddSelector(const ObjectView& holder, const std::string& by, std::vector<SystemStatement>& out) {
  const auto selector = PROV_TRY(holder.Object("nodeSelector"));
  if (!selector) return {};
  for (const std::string_view key : selector->Names()) {
    const std::string_view value = PROV_TRY(selector->TextOr(key, ""));
    const std::string_view system = IsOsLabel(key) ? value : SystemOfLabel(key);
    if (!system.empty()) out.push_back({std::string(system), by});
  }
  return {};
}

// The only system of the nodes that an expression selects; "" if there may be several.
Result<std::string_view> SystemOfExpression(const ObjectView& expression) {
  const std::string_view key = PROV_TRY(expression.TextOr("key", ""));
  const std::string_view op = PROV_TRY(expression.TextOr("operator", ""));
  const std::vector<std::string_view> values =
      PROV_TRY(expression.Texts("values")).value_or(std::vector<std::string_view>());
  if (op == "NotIn" && IsOsLabel(key)) {
    const auto has = [&](std::string_view system) { return std::ranges::find(values, system) != values.end(); };
    if (has(kWindowsSystem)) return kLinuxSystem;
    return has(kLinuxSystem) ? kWindowsSystem : std::string_view();
  }
  if (op == "DoesNotExist" && key == kWindowsBuild) return kLinuxSystem;
  if (op == "NotIn" || op == "DoesNotExist") return std::string_view();
  if (IsOsLabel(key)) return op == "In" && values.size() == 1 ? values.front() : std::string_view();
  return SystemOfLabel(key);
}

Result<std::string_view> SystemOfTerm(const ObjectView& term) {
  for (const ObjectView& expression : PROV_TRY(term.Objects("matchExpressions"))) {
    const std::string_view system = PROV_TRY(SystemOfExpression(expression));
    if (!system.empty()) return system;
  }
  return std::string_view();
}

// One of the terms is enough for a node, so all must be of one system.
Result<void> AddAffinity(const ObjectView& spec, std::vector<SystemStatement>& out) {
  const auto affinity = PROV_TRY(spec.Object("affinity"));
  const auto node = affinity ? PROV_TRY(affinity->Object("nodeAffinity")) : std::nullopt;
  const auto required = node ? PROV_TRY(node->Object("requiredDuringSchedulingIgnoredDuringExecution")) : std::nullopt;
  if (!required) return {};
  std::optional<std::string_view> common;
  for (const ObjectView& term : PROV_TRY(required->Objects("nodeSelectorTerms"))) {
    const std::string_view system = PROV_TRY(SystemOfTerm(term));
    if (system.empty() || (common && *common != system)) return {};
    common = system;
  }
  if (common) out.push_back({std::string(*common), "nodeAffinity"});
  return {};
}

bool AreContainers(const JsonValue& list) {
  return list.IsArray() && !list.Empty() && std::ranges::all_of(list.GetArray(), [](const JsonValue& one) {
           return one.IsObject() && !JsonTextAt(one, {"image"}).empty();
         });
}

// `depth` bounds the recursion.
std::string FindBelow(const JsonValue& value, const std::string& path, unsigned depth) {
  if (depth == 0) return {};
  if (value.IsArray()) {
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
      std::string found = FindBelow(value[i], fmt::format("{}[{}]", path, i), depth - 1);
      if (!found.empty()) return found;
    }
    return {};
  }
  if (!value.IsObject()) return {};
  if (const JsonValue* list = JsonMember(&value, "containers"); list != nullptr && AreContainers(*list))
    return path + ".containers";
  for (auto member = value.MemberBegin(); member != value.MemberEnd(); ++member) {
    if (!member->value.IsObject() && !member->value.IsArray()) continue;
    std::string found = FindBelow(member->value, fmt::format("{}.{}", path, JsonTextOf(member->name)), depth - 1);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

Result<std::vector<SystemStatement>> SystemsOf(const ObjectView& spec, const std::optional<ObjectView>& runtime_class) {
  std::vector<SystemStatement> out;
  PROV_TRY(AddSelector(spec, "nodeSelector", out));
  PROV_TRY(AddAffinity(spec, out));
  const auto scheduling = runtime_class ? PROV_TRY(runtime_class->Object("scheduling")) : std::nullopt;
  if (scheduling)
    PROV_TRY(AddSelector(*scheduling, fmt::format("the RuntimeClass {}", PROV_TRY(ObjectName(*runtime_class))), out));
  return out;
}

std::string FindContainers(const JsonValue& object, std::string_view path) {
  const JsonValue* spec = object.IsObject() ? JsonMember(&object, "spec") : nullptr;
  return spec == nullptr ? std::string() : FindBelow(*spec, fmt::format("{}.spec", path), kDeepestTemplate);
}

}  // namespace prov::source
