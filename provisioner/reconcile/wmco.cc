#include "provisioner/reconcile/wmco.h"

#include <fmt/format.h>

#include <array>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/machine_record.h"
#include "provisioner/reconcile/service_name.h"

namespace prov::reconcile {
namespace {

using images::RegValue;

// The daemon checks the variables every two minutes. It has set, or accepts, one that is still there after this time.
constexpr std::int64_t kSettledSeconds = 600;

// What the state record holds about the daemon.
struct Memory {
  std::int64_t since = 0;                                                      // first seen (Unix time)
  std::optional<std::map<std::string, std::string, std::less<>>> variables{};  // set last; nullopt: never any

  bool operator==(const Memory&) const = default;
};

// A record of the machine that this one was cloned from does not count.
Result<std::optional<Memory>> Load(machine::Machine& machine) {
  const auto section = PROV_TRY(machine.state.Read(kWmcoSection));
  if (!section) return std::nullopt;
  Memory out;
  const std::string id = PROV_TRY(section->Get("machine", &JsonNode::Text));
  if (id != PROV_TRY(machine.system.MachineId())) return std::nullopt;
  out.since = PROV_TRY(section->Get("since", &JsonNode::Integer));
  const auto variables = PROV_TRY(section->Find("variables"));
  if (!variables) return out;
  out.variables.emplace();
  for (const std::string_view name : egress::kProxyVariables) {
    const auto value = PROV_TRY(variables->Find(name));
    if (value) out.variables->emplace(name, PROV_TRY(value->Text()));
  }
  return out;
}

Result<std::string> Json(machine::Machine& machine, const Memory& memory) {
  JsonWriter json;
  json.BeginObject().Member("machine", PROV_TRY(machine.system.MachineId())).Member("since", memory.since);
  if (memory.variables) {
    json.Key("variables").BeginObject();
    for (const auto& [name, value] : *memory.variables) json.Member(name, value);
    json.EndObject();
  }
  return json.EndObject().Text();
}

// One of the three variables on the machine.
struct Variable {
  std::optional<std::string> text;  // nullopt: absent or not a string
  bool is_ours = false;             // in the ledger, and unchanged since
};

Result<Variable> ReadVariable(machine::Machine& machine, const Ledger& ledger, std::string_view name) {
  const std::optional<RegValue> now = PROV_TRY(machine.registry.Read(EnvironmentKeyPath(), name));
  if (!now) return Variable{};
  const auto entry = ledger.find(ItemKey(kEnvironmentItem, name));
  const bool ours = entry != ledger.end() && entry->second.ours && SameVariable(name, *now, *entry->second.ours);
  return Variable{StringOf(*now), ours};
}

// The services that have `entry` from us.
Result<std::vector<std::string>> ServicesWith(machine::Registry& registry, const Ledger& ledger,
                                              const std::string& entry) {
  std::vector<std::string> out;
  for (const auto& [item, owned] : ledger) {
    if (!item.starts_with(kServiceItem) || ServiceOf(item) != item) continue;
    if (!HoldsEntries(EntriesIn(owned.ours), {entry})) continue;
    out.push_back(PROV_TRY(SpellingOfService(registry, std::string_view(item).substr(kServiceItem.size()))));
  }
  return out;
}

// The values that the daemon has set by now. `memory`: the previous record.
Result<Memory> Renewed(machine::Machine& machine, std::optional<Memory> memory, std::int64_t now) {
  Memory out = memory.value_or(Memory{.since = now});
  const bool is_there = PROV_TRY(SeesWmcoDaemon(machine.registry));
  const bool settled = is_there && memory && memory->since + kSettledSeconds <= now;
  const Ledger ledger = PROV_TRY(LoadMachineRecord(machine)).ledger;
  std::map<std::string, std::string, std::less<>> set;
  bool sets_any = false;
  for (const std::string_view name : egress::kProxyVariables) {
    const Variable variable = PROV_TRY(ReadVariable(machine, ledger, name));
    if (!variable.text) continue;
    if (!variable.text->empty()) set.emplace(name, *variable.text);
    sets_any = sets_any || !variable.is_ours || settled;
  }
  if (sets_any || (is_there && set.empty() && out.variables)) out.variables = std::move(set);
  return out;
}

}  // namespace

Result<bool> SeesWmcoDaemon(machine::Registry& registry) { return registry.KeyExists(ServiceKeyPath(kWmcoDaemon)); }

Result<bool> YieldsEnvironment(machine::Machine& machine, bool explicit_run) {
  if (PROV_TRY(SeesWmcoDaemon(machine.registry))) return true;
  return !explicit_run && PROV_TRY(Load(machine)).has_value();
}

Result<void> RememberWmco(machine::Machine& machine, bool explicit_run, std::int64_t now) {
  const std::string section(kWmcoSection);
  const std::optional<Memory> before = PROV_TRY(Load(machine));
  if (!PROV_TRY(YieldsEnvironment(machine, explicit_run))) {
    return before ? machine.state.Commit({{section, std::nullopt}}) : Result<void>();
  }
  const Memory after = PROV_TRY(Renewed(machine, before, now));
  if (before == after) return {};
  return machine.state.Commit({{section, PROV_TRY(Json(machine, after))}});
}

Result<OperatorVariables> ReadOperatorVariables(machine::Machine& machine, const Ledger& ledger) {
  OperatorVariables out;
  std::vector<std::string_view> absent;
  for (const std::string_view name : egress::kProxyVariables) {
    Variable variable = PROV_TRY(ReadVariable(machine, ledger, name));
    if (variable.is_ours) continue;
    if (!variable.text) {
      absent.push_back(name);
    } else if (variable.text->empty()) {
      out[std::string(name)] = std::nullopt;
    } else {
      out[std::string(name)] = Secret(*std::move(variable.text));
    }
  }
  const bool sets_some = !out.empty();
  const std::optional<Memory> memory = PROV_TRY(Load(machine));
  if (!sets_some && (!memory || !memory->variables)) return out;
  // While the daemon's service is gone, the operator is upgrading the node. The variables that it removed will come
  // back.
  const bool is_away = !sets_some && !PROV_TRY(SeesWmcoDaemon(machine.registry));
  for (const std::string_view name : absent) {
    std::optional<Secret>& value = out[std::string(name)];
    if (!is_away) continue;
    if (const auto known = memory->variables->find(name); known != memory->variables->end())
      value = Secret(known->second);
  }
  return out;
}

std::string_view NameOf(VariableOwner owner) {
  constexpr std::array<std::string_view, 3> kNames = {"provisioner", "operator", "others"};
  return kNames.at(static_cast<std::size_t>(owner));
}

Result<std::vector<MachineVariable>> ReadMachineVariables(machine::Machine& machine, const Ledger& ledger) {
  std::vector<MachineVariable> out;
  const bool yields = PROV_TRY(YieldsEnvironment(machine, false));
  for (const std::string_view name : egress::kProxyVariables) {
    const Variable variable = PROV_TRY(ReadVariable(machine, ledger, name));
    if (!variable.text) continue;
    const VariableOwner other = yields ? VariableOwner::kOperator : VariableOwner::kOthers;
    out.push_back({std::string(name), ShowVariable(name, *variable.text), variable.is_ours ? VariableOwner::kUs : other,
                   PROV_TRY(ServicesWith(machine.registry, ledger, fmt::format("{}={}", name, *variable.text)))});
  }
  return out;
}

}  // namespace prov::reconcile
