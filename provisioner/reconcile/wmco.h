// Life with the Windows Machine Config Operator: its daemon sets the three machine variables from what the operator
// knows, and takes away what it doesn't. Once it was seen on a machine, a variable that somebody else changed or
// removed is its business and yields; setting it back would have the daemon reboot the node for nothing. The services'
// environments that are ours follow what it sets, so that they don't stay behind when the cluster moves on.
// Its behaviour: docs/operator.md.
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

// Whether its daemon is installed now.
Result<bool> SeesWmcoDaemon(machine::Registry& registry);

// Whether machine variables yield: PlanOptions::yield_environment. The daemon's service is deleted and made again when
// the operator upgrades a node, so that it was there once is enough; a run that a person asked for (`explicit_run`)
// counts only what is there now. Reads only.
Result<bool> YieldsEnvironment(machine::Machine& machine, bool explicit_run);

// Makes what YieldsEnvironment says hold for later runs, and remembers what the daemon has set: it takes that away and
// sets it again when the operator upgrades a node. `now`: Unix time. Writes nothing when there is nothing new.
Result<void> RememberWmco(machine::Machine& machine, bool explicit_run, std::int64_t now);

// The machine variables that the operator's daemon decides about, where YieldsEnvironment: by name, what it has set;
// nullopt: it wants none. A name that is not among them is left to our settings: it is ours by the ledger, or the
// daemon was never seen to set one. Reads only.
using OperatorVariables = std::map<std::string, std::optional<Secret>, std::less<>>;
Result<OperatorVariables> ReadOperatorVariables(machine::Machine& machine, const Ledger& ledger);

// Whose the machine's variables are.
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
