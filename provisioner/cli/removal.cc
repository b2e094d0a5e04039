#include "provisioner/cli/removal.h"

#include <algorithm>

#include "provisioner/node/events.h"
#include "provisioner/node/first_boot.h"
#include "provisioner/node/scrub.h"
#include "provisioner/node/search_path.h"

namespace prov::cli {

Result<TargetReport> RemoveFromMachine(machine::Host& host, bool all, std::int64_t wait_lock) {
  constexpr std::int64_t kRoundSeconds = 30;  // a round of the boot service holds the lock for a moment
  if (all) wait_lock = std::max(wait_lock, kRoundSeconds);
  reconcile::SessionReport report;
  std::string name;
  {
    const Target target = PROV_TRY(OpenTarget(host, machine::Access::kWrite, wait_lock));
    name = target.name;
    node::OpenNode node = target.Node(host);
    report = PROV_TRY(node::RemoveSettings(node));
    PROV_TRY(node::ScrubSecretFiles(node, report.findings));
    node::LogRun(host, report, machine::Event::kRemoved);
    if (all) PROV_TRY(node::UnregisterEventSource(node));
    if (all) PROV_TRY(node::RemoveFromSearchPath(node));
  }
  if (all) PROV_TRY(node::RemoveProgram(host));
  return TargetReport{name, std::move(report)};
}

}  // namespace prov::cli
