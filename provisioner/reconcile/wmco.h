// Coexistence with the Windows Machine Config Operator. Its daemon sets the three machine variables as the operator
// wants them, and removes those that the operator does not want. Once the daemon was seen on a machine, a variable that
// others changed or removed is left to it: setting it back would only make the daemon reboot the node. The services'
// environments that are ours follow the daemon's values, so that they change with the cluster's proxy. The daemon's
// behaviour: docs/operator.md.
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

// Whether machine variables are left to the daemon (PlanOptions::yield_environment). The operator deletes the daemon's
// service and creates it again when it upgrades a node, so having seen it once is enough. A run that a person started
// (`explicit_run`) checks only whether it is there now. Reads only.
Result<bool> YieldsEnvironment(machine::Machine& machine, bool explicit_run);

// Remembers for later runs that YieldsEnvironment holds, and which values the daemon has set: it removes them and sets
// them again when the operator upgrades a node. `now`: Unix time. Writes only if something changed.
Result<void> RememberWmco(machine::Machine& machine, bool explicit_run, std::int64_t now);

// The machine variables that the operator's daemon owns, if YieldsEnvironment: the name, and the value that it has set,
// or nullopt if it wants none. A name that is missing takes its value from our settings: the ledger has the variable as
// ours, or the daemon was never seen to set any. Reads only.
using OperatorVariables = std::map<std::string, std::optional<Secret>, std::less<>>;
Result<OperatorVariables> ReadOperatorVariables(machine::Machine& machine, const Ledger& ledger);

// Who owns the machine's variables.
enum class VariableOwner { kUs, kOperator, kOthers };
std::string_view NameOf(VariableOwner owner);  // "provisioner", "operator", "others"
struct MachineVariable {
  std::string name;
  std::string value;  // without passwords
  VariableOwner owner = VariableOwner::kOthers;
  std::vector<std::string> services;  // those of our services whose environment has this value from us
};
// The ones of HTTP_PROXY, HTTPS_PROXY and NO_PROXY that are set on the machine. Reads only.
Result<std::vector<MachineVariable>> ReadMachineVariables(machine::Machine& machine, const Ledger& ledger);

}  // namespace prov::reconcile
