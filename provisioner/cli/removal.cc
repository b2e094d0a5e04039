#include "provisioner/cli/removal.h"

#include <algorithm>

#include "provisioner/cli/targets.h"
#include "provisioner/node/first_boot.h"
#include "provisioner/node/removal.h"

namespace prov::cli {

Result<reconcile::RunReport> RemoveFromHost(machine::Host& host, bool all, std::int64_t wait_lock) {
  constexpr std::int64_t kRoundSeconds = 30;  // a round of the boot service holds the lock for a moment
  if (all) wait_lock = std::max(wait_lock, kRoundSeconds);
  reconcile::RunReport out;
  {
    const Target target = PROV_TRY(OpenTarget(host, machine::Access::kWrite, wait_lock));
    node::OpenNode node = target.Node(host);
    out = PROV_TRY(node::RemoveFromMachine(node, all));
  }
  const bool is_left = std::ranges::find(out.findings, "removal-incomplete", &Finding::code) != out.findings.end();
  if (all && !is_left) PROV_TRY(node::RemoveProgram(host));
  return out;
}

Result<reconcile::RunReport> PlanRemovalFromHost(machine::Host& host, bool all) {
  const Target target = PROV_TRY(OpenTarget(host, machine::Access::kRead));
  node::OpenNode node = target.Node(host);
  return node::PlanRemoval(node, all);
}

}  // namespace prov::cli
