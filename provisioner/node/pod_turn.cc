#include "provisioner/node/pod_turn.h"

#include "provisioner/node/events.h"
#include "provisioner/node/state_repair.h"

namespace prov::node {
namespace {

Result<void> UpgradeService(machine::Host& host) {
  const machine::ProgramStatus program = PROV_TRY(host.installation().LookAtProgram());
  if (!program.own || !program.installed || *program.own <= *program.installed) return {};
  const auto open = PROV_TRY(host.Open(machine::Access::kWrite));
  OpenNode node{host, open->Ports()};
  Findings findings;
  PROV_TRY(InstallService(node, nullptr, {}, findings));
  for (const Finding& f : findings) LogEvent(host, machine::Event::kApplied, f.severity, f.message);
  return {};
}

Result<bool> Follows(machine::Host& host, const SourceWords& words) {
  const auto open = PROV_TRY(host.Open(machine::Access::kRead));
  const auto stored = LoadSource(open->Ports().state);
  // A damaged record is repaired by whoever writes next.
  return stored && *stored && (*stored)->follow && (*stored)->words == words;
}

Result<void> StoreSource(machine::Host& host, const SourceWords& words) {
  if (PROV_TRY(Follows(host, words))) return {};
  const auto open = PROV_TRY(host.Open(machine::Access::kWrite));
  OpenNode node{host, open->Ports()};
  Findings findings;
  PROV_TRY(RepairState(node, findings));
  PROV_TRY(CheckSourceFiles(host.installation(), words));
  return SaveSource(node.machine.state, {words});
}

}  // namespace

Result<Turn> TakeTurn(machine::Host& host, const SourceWords& words) {
  const auto service = PROV_TRY(host.services().Query(kServiceName));
  if (service && service->running) {
    PROV_TRY(UpgradeService(host));
    return Turn::kService;
  }
  if (!service) PROV_TRY(StoreSource(host, words));
  return Turn::kPod;
}

}  // namespace prov::node
