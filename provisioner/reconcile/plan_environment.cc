// Machine variables: REG_SZ, compared as text, NO_PROXY as a set.
#include <algorithm>
#include <array>

#include "provisioner/base/text.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/reconcile/planner.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;

constexpr std::array<std::string_view, 3> kVariables = {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"};

bool SameList(const std::string& a, const std::string& b) {
  const auto left = egress::NoProxy::Parse(a, {});
  const auto right = egress::NoProxy::Parse(b, {});
  return left && right && left->SameSet(*right);
}

// Another type is another value: REG_EXPAND_SZ would have Windows expand the `%40` of a password.
bool Equivalent(std::string_view name, const RegValue& a, const RegValue& b) {
  if (a.type != b.type) return false;
  if (a.type != RegType::kSz) return a.data == b.data;
  const auto left = StringOf(a);
  const auto right = StringOf(b);
  if (!left || !right) return a.data == b.data;
  return *left == *right || (name == "NO_PROXY" && SameList(*left, *right));
}

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
    item.item = "env:" + std::string(name);
    item.name = name;
    item.key = R"(SYSTEM\CurrentControlSet\)" + std::string(kEnvironmentKey);
    item.value = name;
    item.yields = planner.options().yield_environment;
    item.equivalent = [name](const RegValue& a, const RegValue& b) { return Equivalent(name, a, b); };
    item.show = [name](const RegValue& value) { return Show(name, value); };
    const auto& wanted = planner.desired().environment;
    const auto found = std::ranges::find(wanted, name, &EnvironmentVariable::name);
    if (found != wanted.end()) item.desired = EncodeVariable(*found);
    if (PROV_TRY(PlanValue(planner, item))) planner.NeedReboot();
  }
  return {};
}

}  // namespace prov::reconcile
