#include "provisioner/node/loop_guard.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/node/records.h"

namespace prov::node {
namespace {

// What the change is, whatever was there before it.
std::string DigestOf(const reconcile::Plan& plan) {
  std::string text;
  for (const reconcile::Change& change : plan.changes) {
    if (change.action == reconcile::Action::kNone || change.action == reconcile::Action::kYield) continue;
    text += fmt::format("{}\n{}\n{}\n", reconcile::NameOf(change.kind), change.name, change.after);
  }
  return ToHex(Sha256(text));
}

}  // namespace

Result<void> GuardAgainstRebootLoop(machine::Machine& machine, const reconcile::Plan& plan) {
  const std::string boot = PROV_TRY(machine.system.BootId());
  std::optional<Boots> known = PROV_TRY(LoadBoots(machine.state));
  const bool counted = known && std::ranges::find(known->ids, boot) != known->ids.end();
  if (plan.operations.empty() || !plan.reboot) {
    // A boot in which nothing was needed: no loop.
    return known && !counted ? Forget(machine.state, kBootsSection) : Result<void>();
  }
  const std::string change = DigestOf(plan);
  if (!known || known->change != change) return SaveBoots(machine.state, {change, {boot}});
  if (counted) return {};
  if (known->ids.size() >= kMostBoots) {
    return Fail(Code::kRebootLoop,
                fmt::format("the same change was needed after each of the last {} boots, so something on this machine "
                            "undoes it (a group policy, another agent, a frozen disk); nothing is written until the "
                            "source changes or apply is called",
                            kMostBoots));
  }
  known->ids.push_back(boot);
  return SaveBoots(machine.state, *known);
}

}  // namespace prov::node
