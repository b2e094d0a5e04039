// The parts of LiveHost(); each lives as long as the program.
#pragma once

#include <functional>
#include <string_view>

#include "provisioner/base/clock.h"
#include "provisioner/base/result.h"
#include "provisioner/machine/compute_network.h"
#include "provisioner/machine/event_log.h"
#include "provisioner/machine/installation.h"
#include "provisioner/machine/programs.h"
#include "provisioner/machine/services.h"

namespace prov::machine {

Services& LiveServices();
EventLog& LiveEventLog();
Clock& LiveClock();
Installation& LiveInstallation();
ComputeNetwork& LiveComputeNetwork();  // on Windows
Programs& LivePrograms();              // on Windows

// Ends a Wait() of LiveClock(), and all later ones.
void RequestStop();

// Ends this process with the signal that requested the stop, so that after Ctrl-C a shell ends its script, too.
// Returns if there was none, on systems without signals, and in a container's first process, which signals do not end
// by themselves.
void EndBySignal();

// Host::RunAsService on Windows. Call it at most once in a process.
Result<void> RunServiceProcess(std::string_view name, const std::function<void()>& body);

}  // namespace prov::machine
