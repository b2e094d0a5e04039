#include "provisioner/reconcile/reboot.h"

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/reconcile/transaction.h"

namespace prov::reconcile {

Result<void> MarkReboot(machine::Machine& machine) {
  const std::string boot = PROV_TRY(machine.system.BootId());
  if (boot.empty()) return {};
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("boot", boot).Member("machine", PROV_TRY(machine.system.MachineId()));
  return machine.state.Write(kRebootFile, json.EndObject().Take());
}

Result<bool> RebootPending(machine::Machine& machine) {
  const auto text = PROV_TRY(machine.state.Read(kRebootFile));
  if (!text) return false;
  // A marker that can't be read says no less than one that can: something wanted a reboot.
  const auto root = ParseSchemaOne(*text, kRebootFile);
  if (!root) return true;
  const std::string boot = PROV_TRY(PROV_TRY(root->Get("boot")).Text());
  const std::string id = PROV_TRY(PROV_TRY(root->Get("machine")).Text());
  return boot == PROV_TRY(machine.system.BootId()) && id == PROV_TRY(machine.system.MachineId());
}

Result<void> ForgetPastReboot(machine::Machine& machine) {
  if (!PROV_TRY(machine.state.Read(kRebootFile)) || PROV_TRY(RebootPending(machine))) return {};
  return machine.state.Remove(kRebootFile);
}

}  // namespace prov::reconcile
