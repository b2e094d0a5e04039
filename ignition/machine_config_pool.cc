#include "ignition/machine_config_pool.h"

#include <string>

namespace prov::ignition {
MachineConfigPool ReadMachineConfigPool(const JsonValue& object) {
  MachineConfigPool out;
  out.name = JsonTextAt(object, {"metadata", "name"});
  out.on_nodes = JsonTextAt(object, {"status", "configuration", "name"});
  out.newest = JsonTextAt(object, {"spec", "configuration", "name"});
  const JsonValue* paused = JsonAt(object, {"spec", "paused"});
  out.paused = paused != nullptr && paused->IsBool() && paused->GetBool();
  return out;
}

void ReportPaused(const MachineConfigPool& pool, std::string_view where, Findings& findings) {
  if (!pool.paused || pool.newest.empty() || pool.newest == pool.on_nodes) return;
  AddWarning(findings, "pool-paused",
             "the pool is paused, and its newest config has not gone to its nodes; the one that they have was taken",
             std::string(where));
}

}  // namespace prov::ignition
