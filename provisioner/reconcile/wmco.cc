#include "provisioner/reconcile/wmco.h"

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/reconcile/items.h"

namespace prov::reconcile {
namespace {

// Of the machine that this one was cloned from it says nothing.
Result<bool> IsRemembered(machine::Machine& machine) {
  const auto seen = PROV_TRY(machine.state.Read(kWmcoSection));
  if (!seen) return false;
  const auto id = PROV_TRY(seen->Find("machine"));
  if (!id) return true;  // of an earlier version, and it could not be read: the daemon was seen
  return PROV_TRY(id->Text()) == PROV_TRY(machine.system.MachineId());
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
  const std::string section(kWmcoSection);
  if (!yields) return machine.state.Commit({{section, std::nullopt}});
  JsonWriter json;
  json.BeginObject().Member("machine", PROV_TRY(machine.system.MachineId()));
  return machine.state.Commit({{section, json.EndObject().Text()}});
}

}  // namespace prov::reconcile
