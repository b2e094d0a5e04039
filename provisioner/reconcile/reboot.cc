#include "provisioner/reconcile/reboot.h"

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/reconcile/journal.h"

namespace prov::reconcile {

Result<void> MarkReboot(machine::Machine& machine, machine::Sections& sections) {
  const std::string boot = PROV_TRY(machine.system.BootId());
  if (boot.empty()) return {};
  JsonWriter json;
  json.BeginObject().Member("boot", boot).Member("machine", PROV_TRY(machine.system.MachineId()));
  sections[std::string(kRebootSection)] = json.EndObject().Text();
  return {};
}

Result<bool> RebootPending(machine::Machine& machine) {
  const auto mark = PROV_TRY(machine.state.Read(kRebootSection));
  if (!mark) return false;
  const std::string boot = PROV_TRY(mark->Get("boot", &JsonNode::Text));
  const std::string id = PROV_TRY(mark->Get("machine", &JsonNode::Text));
  return boot == PROV_TRY(machine.system.BootId()) && id == PROV_TRY(machine.system.MachineId());
}

Result<void> ForgetPastReboot(machine::Machine& machine) {
  if (PROV_TRY(RebootPending(machine))) return {};
  return machine.state.Commit({{std::string(kRebootSection), std::nullopt}});
}

}  // namespace prov::reconcile
