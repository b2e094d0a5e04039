// A removal: takes back everything that provisioner, or a payload's script, ever set.
#pragma once

#include "provisioner/node/begin_run.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

// Begins a run that removes. Fails if it is unknown what is ours on this machine: then nothing may be removed, and
// nothing was written. Errors: those of CheckRecords and BeginRun.
Result<BegunRun> BeginRemoval(OpenNode& node);

// What BeginRemoval checks. Reads only. Errors: those of LoadJournal and LoadMachineRecord; not-found (the record was
// lost).
Result<void> CheckRecords(OpenNode& node);

// What RemoveFromMachine would do. Reads only. Errors: those of CheckRecords.
Result<reconcile::RunReport> PlanRemoval(OpenNode& node, bool all);

// Adds what `all` takes away besides the settings and the files of an image: the boot service, its event source, the
// entry in the search path, the program and the state folder. Reads only.
Result<void> AddTraces(OpenNode& node, reconcile::RunReport& report);

// Restores what was there before us, or before a payload's script, and removes the keys that were made for our values.
// Forgets the source, the last run and what the operator's daemon had set, which hold credentials, but not which signed
// payload was applied last. `run`: of
// BeginRemoval.
Result<reconcile::RunReport> RemoveSettings(OpenNode& node, BegunRun run);

// After a removal: whether something of ours is left (finding removal-incomplete), so that the program and its record
// have to stay.
Result<bool> KeepRecord(OpenNode& node, reconcile::RunReport& report);

// The whole removal on this machine: RemoveSettings, then the files of a delivered payload, and an event in the log.
// `all`: also the traces of the program, which RemoveProgram takes away once the machine is closed, unless something of
// ours is left (finding removal-incomplete). Errors: those of BeginRemoval and of the ports.
Result<reconcile::RunReport> RemoveFromMachine(OpenNode& node, bool all);

}  // namespace prov::node
