// Machine variables: REG_SZ, compared as text, NO_PROXY as a set.
#include <algorithm>
#include <array>

#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/planner.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;

constexpr std::array<std::string_view, 3> kVariables = {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"};

std::string Show(std::string_view name, const RegValue& value) {
  const auto text = StringOf(value);
  if (!text) return "(not text)";
  return ShowVariable(name, *text) + (value.type == RegType::kSz ? "" : " (of another type than REG_SZ)");
}

}  // namespace

Result<void> PlanEnvironment(Planner& planner) {
  for (const std::string_view name : kVariables) {
    ValueItem item;
    item.kind = ItemKind::kEnvironment;
    item.item = std::string(kEnvironmentItem) + std::string(name);
    item.name = name;
    item.key = EnvironmentKeyPath();
    item.value = name;
    item.yields = planner.options().yield_environment;
    item.equivalent = [name](const RegValue& a, const RegValue& b) { return SameVariable(name, a, b); };
    item.show = [name](const RegValue& value) { return Show(name, value); };
    const auto& wanted = planner.desired().environment;
    const auto found = std::ranges::find(wanted, name, &EnvironmentVariable::name);
    if (found != wanted.end()) item.desired = EncodeVariable(*found);
    if (PROV_TRY(PlanValue(planner, item))) planner.NeedReboot();
  }
  return {};
}

}  // namespace prov::reconcile
