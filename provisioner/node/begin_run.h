// What every command that writes does before anything else. Each of its verbs (ApplySettings, TrySettings,
// ConfirmTrial, Rollback, RemoveSettings) takes what BeginRun returns.
#pragma once

#include <optional>

#include "provisioner/base/finding.h"
#include "provisioner/node/open_node.h"
#include "provisioner/node/records.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

// What a command that writes finds when it begins.
struct BegunRun {
  Findings findings;                                 // for the command's report
  std::optional<reconcile::Transaction> trial;       // an open trial
  std::optional<reconcile::SessionReport> rollback;  // an interrupted rollback, now finished
};

// Repairs the state folder, and finishes an interrupted run. A trial stays open. Errors: those of the ports; type and
// version (of the journal).
Result<BegunRun> BeginRun(OpenNode& node);

// Takes an open trial back; like a rollback, this holds until the source changes. Errors: those of the ports.
Result<void> EndTrial(OpenNode& node, BegunRun& run);

// What a command does before it makes a plan: EndTrial, then taking over the record of a payload's script. Errors:
// those of the ports and of LoadScriptState.
Result<void> PrepareToPlan(OpenNode& node, BegunRun& run);

// Takes this open trial back, and holds. Errors: those of the ports.
Result<reconcile::SessionReport> TakeTrialBack(OpenNode& node, const reconcile::Transaction& open);

// The sections that make a rollback hold against `applied`.
reconcile::Sections HoldAgainst(const std::optional<Applied>& applied);

// Puts the findings of the run's beginning before those of the report.
void AddBeginning(BegunRun run, reconcile::SessionReport& report);

}  // namespace prov::node
