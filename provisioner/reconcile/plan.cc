#include "provisioner/reconcile/plan.h"

#include <algorithm>
#include <array>

#include "provisioner/reconcile/kind.h"
#include "provisioner/reconcile/planner.h"

namespace prov::reconcile {

std::string_view NameOf(ItemKind kind) {
  constexpr std::array<std::string_view, 8> kNames = {"env",         "serviceEnv", "winHttp", "winInet",
                                                      "certificate", "service",    "file",    "hns"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view NameOf(Action action) {
  constexpr std::array<std::string_view, 6> kNames = {"none", "create", "update", "delete", "adopt", "yield"};
  return kNames.at(static_cast<std::size_t>(action));
}

Action ActionOf(bool before, bool after) {
  if (before && after) return Action::kUpdate;
  return after ? Action::kCreate : Action::kDelete;
}

Drift DriftOf(Change change, bool missing) {
  return {change.kind,           std::move(change.name), missing, std::move(change.before), std::move(change.after),
          std::move(change.was), std::move(change.is)};
}

const LedgerEntry* Planner::Find(std::string_view item) const {
  const auto found = plan_.ledger_before.find(item);
  return found == plan_.ledger_before.end() ? nullptr : &found->second;
}

Plan Planner::Finish() && {
  std::ranges::reverse(undos_);
  plan_.operations = std::move(operations_);
  plan_.operations.insert(plan_.operations.end(), undos_.begin(), undos_.end());
  return std::move(plan_);
}

namespace {

// Whether a kind that the choices leave out has items of ours, which are then taken back.
bool LeavesOurs(const Kind& kind, const DesiredState& desired, const Ledger& ledger) {
  return kind.IsInScope(desired.left_out) &&
         std::ranges::any_of(ledger, [&](const auto& one) { return kind.Owns(one.first); });
}

}  // namespace

Result<Plan> MakePlan(machine::Machine& machine, const DesiredState& desired, const Ledger& ledger,
                      const PlanOptions& options) {
  Planner planner(machine, desired, ledger, options);
  for (const Kind* kind : Kinds()) {
    if (kind->IsInScope(desired.scope) || LeavesOurs(*kind, desired, ledger)) PROV_TRY(kind->Plan(planner));
  }
  Plan plan = std::move(planner).Finish();
  // An image needs no reboot: nothing runs in it yet.
  if (PROV_TRY(machine.system.BootId()).empty()) plan.reboot = false;
  return plan;
}

DesiredState NothingDesired() {
  DesiredState nothing;
  nothing.scope = Scope::All();
  return nothing;
}

}  // namespace prov::reconcile
