#include "ignition/machine_config_pool.h"

#include <fmt/format.h>

#include <string>

#include "provisioner/base/text.h"

namespace prov::ignition {
MachineConfigPool ReadMachineConfigPool(const JsonValue& object) {
  MachineConfigPool out;
  out.name = JsonTextAt(object, {"metadata", "name"});
  out.on_nodes = JsonTextAt(object, {"status", "configuration", "name"});
  out.newest = JsonTextAt(object, {"spec", "configuration", "name"});
  const JsonValue* paused = JsonAt(object, {"spec", "paused"});
  out.paused = paused != nullptr && paused->IsBool() && paused->GetBool();
  const JsonValue* updated = JsonAt(object, {"status", "updatedMachineCount"});
  out.reached_a_node = updated != nullptr && updated->IsInt64() && updated->GetInt64() > 0;
  return out;
}

void ReportRollout(const MachineConfigPool& pool, std::string_view where, Findings& findings) {
  if (pool.newest.empty() || pool.newest == pool.on_nodes) return;
  const std::string old_name(Shorten(pool.on_nodes));
  const std::string new_name(Shorten(pool.newest));
  if (pool.paused) {
    AddWarning(
        findings, "pool-paused",
        fmt::format("the pool is paused, and its newest config, {}, has not gone to its nodes; the one that they "
                    "have, {}, was taken",
                    new_name, old_name),
        std::string(where));
    return;
  }
  AddWarning(
      findings, "pool-rollout",
      fmt::format("the pool is in rollout from {} to {}; the first was taken, and the Machine Config Server gives "
                  "new nodes the {}; read it again after the rollout, or name the one that is meant",
                  old_name, new_name, pool.reached_a_node ? "second" : "first, until a node has the second"),
      std::string(where));
}

}  // namespace prov::ignition
