#include "provisioner/reconcile/wmco.h"

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/reconcile/items.h"

namespace prov::reconcile {
namespace {

// A file that can't be read says no less than one that can: the daemon was seen. Of the machine that this one was
// cloned from it says nothing.
Result<bool> IsRemembered(machine::Machine& machine) {
  const auto text = PROV_TRY(machine.state.Read(kWmcoFile));
  if (!text) return false;
  const auto root = ParseSchemaOne(*text, kWmcoFile);
  if (!root) return true;
  return PROV_TRY(PROV_TRY(root->Get("machine")).Text()) == PROV_TRY(machine.system.MachineId());
}

}  // namespace

Result<bool> SeesWmcoDaemon(machine::Registry& registry) { return registry.KeyExists(ServiceKeyPath(kWmcoDaemon)); }

Result<bool> YieldsEnvironment(machine::Machine& machine, bool explicit_run) {
  if (PROV_TRY(SeesWmcoDaemon(machine.registry))) return true;
  return !explicit_run && PROV_TRY(IsRemembered(machine));
}

Result<void> RememberWmco(machine::Machine& machine, bool explicit_run) {
  const bool yields = PROV_TRY(YieldsEnvironment(machine, explicit_run));
  if (yields == PROV_TRY(IsRemembered(machine))) return {};
  if (!yields) return machine.state.Remove(kWmcoFile);
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("machine", PROV_TRY(machine.system.MachineId()));
  return machine.state.Write(kWmcoFile, json.EndObject().Take());
}

}  // namespace prov::reconcile
