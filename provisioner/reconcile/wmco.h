// Life with the Windows Machine Config Operator: its daemon sets the three machine variables from what the operator
// knows, and takes away what it doesn't. Once it was seen on a machine, a variable that somebody else changed or
// removed is its business and yields; setting it back would have the daemon reboot the node for nothing.
// Its behaviour: docs/operator.md.
#pragma once

#include <string_view>

#include "provisioner/machine/machine.h"

namespace prov::reconcile {

inline constexpr std::string_view kWmcoSection = "wmco";  // of the state record: the daemon was seen
inline constexpr std::string_view kWmcoDaemon = "windows-instance-config-daemon";

// Whether its daemon is installed now.
Result<bool> SeesWmcoDaemon(machine::Registry& registry);

// Whether machine variables yield: PlanOptions::yield_environment. The daemon's service is deleted and made again when
// the operator upgrades a node, so that it was there once is enough; a run that a person asked for (`explicit_run`)
// counts only what is there now. Reads only.
Result<bool> YieldsEnvironment(machine::Machine& machine, bool explicit_run);

// Makes what YieldsEnvironment says hold for later runs. Writes once, and nothing when there is nothing new.
Result<void> RememberWmco(machine::Machine& machine, bool explicit_run);

}  // namespace prov::reconcile
