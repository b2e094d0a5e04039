// What a run does before it writes to a machine that it has opened. ApplySettings, TrySettings, ConfirmTrial, Rollback
// and RemoveSettings take what BeginRun returns.
#pragma once

#include <optional>

#include "provisioner/base/finding.h"
#include "provisioner/node/open_node.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

// What a command that writes finds when it begins.
struct BegunRun {
  Findings findings;                             // for the command's report
  std::optional<reconcile::Transaction> trial;   // an open trial
  std::optional<reconcile::RunReport> rollback;  // an interrupted rollback, now finished
};

// Repairs the state folder, and finishes an interrupted run. Both are logged. A trial stays open. Errors: those of the
// ports; type and version (of the journal).
Result<BegunRun> BeginRun(OpenNode& node);

// What a command does before it makes a plan: EndTrial, then taking over the record of a payload's script. Errors:
// those of the ports and of LoadScriptState.
Result<void> PrepareToPlan(OpenNode& node, BegunRun& run);

// Puts the findings of the run's beginning before those of the report.
void AddBeginning(BegunRun run, reconcile::RunReport& report);

}  // namespace prov::node
