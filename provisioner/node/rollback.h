// A rollback: takes back what the last run did.
#pragma once

#include <optional>

#include "provisioner/node/begin_run.h"
#include "provisioner/node/records.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

// Takes back the open trial or, if there is none, the last finished run (also one of a payload's script), and holds:
// `reconcile` leaves the machine alone until its source changes. If the beginning finished an interrupted rollback,
// nothing more is taken back. Errors: target when there is nothing to take back.
Result<reconcile::RunReport> Rollback(OpenNode& node, BegunRun run);

// The whole rollback on this machine: BeginRun, Rollback, and events in the log. Errors: those of both.
Result<reconcile::RunReport> RollBackMachine(OpenNode& node);

// The sections that make a rollback hold against `applied`.
reconcile::Sections HoldAgainst(const std::optional<Applied>& applied);

}  // namespace prov::node
