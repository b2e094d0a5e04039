// Coexistence with the Windows Machine Config Operator: its daemon sets the three machine variables as the operator
// wants them, and removes those that the operator does not want. Once the daemon was seen on a machine, a variable that
// somebody else changed or removed is left to it: setting it back would make the daemon reboot the node for nothing.
// The services' environments that are ours follow the daemon's values, so that they do not fall behind when the cluster
// changes its proxy. The daemon's behaviour: docs/operator.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/secret.h"
#include "provisioner/machine/machine.h"
#include "provisioner/reconcile/ledger.h"

namespace prov::reconcile {

inline constexpr std::string_view kWmcoSection = "wmco";  // of the state record: the daemon was seen
inline constexpr std::string_view kWmcoDaemon = "windows-instance-config-daemon";

// Whether the daemon is installed now.
Result<bool> SeesWmcoDaemon(machine::Registry& registry);

// Whether machine variables are left to the daemon: PlanOptions::yield_environment. The daemon's service is deleted and
// created again when the operator upgrades a node, so it is enough that it was there once. A run that a person started
// (`explicit_run`) goes only by what is there now. Reads only.
Result<bool> YieldsEnvironment(machine::Machine& machine, bool explicit_run);

// Remembers for later runs that YieldsEnvironment holds, and what the daemon has set: it removes those values and sets
// them again when the operator upgrades a node. `now`: Unix time. Writes nothing when there is nothing new.
Result<void> RememberWmco(machine::Machine& machine, bool explicit_run, std::int64_t now);

// The machine variables that the operator's daemon owns, where YieldsEnvironment: by name, the value that it has set;
// nullopt: it wants none. Names that are missing here come from our settings: the ledger has them as ours, or the
// daemon was never seen to set one. Reads only.
using OperatorVariables = std::map<std::string, std::optional<Secret>, std::less<>>;
Result<OperatorVariables> ReadOperatorVariables(machine::Machine& machine, const Ledger& ledger);

// Who owns the machine's variables.
enum class VariableOwner { kUs, kOperator, kOthers };
std::string_view NameOf(VariableOwner owner);  // "provisioner", "operator", "others"
struct MachineVariable {
  std::string name;
  std::string value;  // as it may be shown
  VariableOwner owner = VariableOwner::kOthers;
  std::vector<std::string> services;  // in whose environments of ours it has this value
};
// Those of the three that are there. Reads only.
Result<std::vector<MachineVariable>> LookAtMachineVariables(machine::Machine& machine, const Ledger& ledger);

}  // namespace prov::reconcile
