#include "ignition/machine_config_pool.h"

#include <initializer_list>
#include <string>

namespace prov::ignition {
namespace {

const JsonValue* MemberAt(const JsonValue& root, std::initializer_list<std::string_view> path) {
  const JsonValue* value = &root;
  for (const std::string_view name : path) {
    if (!value->IsObject()) return nullptr;
    value = JsonMember(value, name);
    if (value == nullptr) return nullptr;
  }
  return value;
}

std::string_view TextAt(const JsonValue& root, std::initializer_list<std::string_view> path) {
  const JsonValue* value = MemberAt(root, path);
  return value != nullptr && value->IsString() ? JsonTextOf(*value) : std::string_view();
}

}  // namespace

MachineConfigPool ReadMachineConfigPool(const JsonValue& object) {
  MachineConfigPool out;
  out.name = TextAt(object, {"metadata", "name"});
  out.on_nodes = TextAt(object, {"status", "configuration", "name"});
  out.newest = TextAt(object, {"spec", "configuration", "name"});
  const JsonValue* paused = MemberAt(object, {"spec", "paused"});
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
