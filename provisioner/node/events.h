// What a run writes to the event log, and the registration that lets the Event Viewer show the texts of these events.
#pragma once

#include <string_view>

#include "provisioner/base/error.h"
#include "provisioner/node/open_node.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

// Writes one event for the run (kNothingToDo if nothing was written), one for each warning, and one if a reboot is
// required; during a trial none is.
void LogRun(machine::Host& host, const reconcile::RunReport& report, machine::Event event = machine::Event::kApplied);
void LogWarnings(machine::Host& host, const Findings& findings, machine::Event event);
void LogFailure(machine::Host& host, const Error& error);  // id: kRebootLoop, or kFailure plus the exit code
void LogEvent(machine::Host& host, machine::Event event, Severity severity, std::string_view text);

inline constexpr std::string_view kEventSourceKey =
    R"(SYSTEM\CurrentControlSet\Services\EventLog\Application\Provisioner)";
// The registration as reports list it. PlanEventSource: what RegisterEventSource would do; reads only.
reconcile::Change EventSourceChange(reconcile::Action action);
Result<reconcile::Change> PlanEventSource(OpenNode& node);
Result<bool> RegisterEventSource(OpenNode& node);  // returns whether anything was written
Result<void> UnregisterEventSource(OpenNode& node);

}  // namespace prov::node
