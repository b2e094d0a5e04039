// What `plan` and `apply` do on a node: derive the desired state from settings, check the guards, run the engine, and
// record what was applied.
#pragma once

#include "provisioner/machine/host.h"
#include "provisioner/node/records.h"
#include "provisioner/node/settings.h"
#include "provisioner/reconcile/session.h"
#include "provisioner/reconcile/transaction.h"

namespace prov::node {

// A node, or an image of one, that a command has open.
struct OpenNode {
  machine::Host& host;
  machine::Machine machine;
};

struct ApplyOptions {
  bool adopt = false;             // values that equal the desired ones came from our own payload: record them as ours
  bool allow_downgrade = false;   // see guards.h
  bool allow_shrink = false;      // see guards.h
  bool refuse_empty = false;      // see guards.h; for a source that a person named, not for one that is followed
  bool restart_services = false;  // restart running services whose environment changed
  bool unattended = false;        // no person watches: GuardAgainstRebootLoop applies
};

// Runs the guards before anything is planned. Reads only. Errors: those of the ports; downgrade, shrink, empty.
Result<void> CheckSettings(OpenNode& node, const DerivedSettings& derived, const ApplyOptions& options);

// Reads only. Errors: those of the ports; downgrade, shrink, empty.
Result<reconcile::SessionReport> PlanSettings(OpenNode& node, const DerivedSettings& derived,
                                              const ApplyOptions& options);

// What a command that writes finds when it begins.
struct BegunRun {
  Findings findings;                                 // for the command's report
  std::optional<reconcile::Transaction> trial;       // an open trial
  std::optional<reconcile::SessionReport> rollback;  // an interrupted rollback, now finished
};

// What each command that writes does first: repairs the state folder, and finishes an interrupted run. A trial stays
// open. Errors: those of the ports; type and version (of the journal).
Result<BegunRun> BeginRun(OpenNode& node);

// Takes an open trial back; like a rollback, this holds until the source changes. Errors: those of the ports.
Result<void> EndTrial(OpenNode& node, BegunRun& run);

// What a command does before it makes a plan: EndTrial, then taking over the record of a payload's script. Errors:
// those of the ports and of LoadScriptState.
Result<void> PrepareToPlan(OpenNode& node, BegunRun& run);

// Needs a begun run. `more` is recorded in the same step as the settings. Errors: those of PlanSettings;
// reboot-loop (unattended only).
Result<reconcile::SessionReport> ApplySettings(OpenNode& node, BegunRun run, const DerivedSettings& derived,
                                               const ApplyOptions& options, reconcile::Sections more = {});

// Applies the settings as a trial that `confirm` must make permanent within `seconds`. If nothing differs, there is no
// trial.
Result<reconcile::SessionReport> TrySettings(OpenNode& node, const DerivedSettings& derived,
                                             const ApplyOptions& options, std::int64_t seconds);

// Errors: target when no trial is open.
Result<reconcile::SessionReport> ConfirmTrial(OpenNode& node);

// Whether a trial still waits for `confirm`: in this boot and within its time.
Result<bool> IsWaiting(OpenNode& node, const reconcile::Transaction& trial);

// Takes back the open trial or, if there is none, the last finished run (also one of a payload's script), and holds:
// `reconcile` leaves the machine alone until its source changes. An interrupted rollback is finished, and nothing more
// is taken back. Errors: target when there is nothing to take back.
Result<reconcile::SessionReport> Rollback(OpenNode& node);

// The changes that Rollback would make. Reads only.
Result<std::vector<reconcile::Change>> PlanRollback(OpenNode& node);

// Adds a finding if the boot service is going to replace these settings with others.
Result<void> WarnOfStoredSource(OpenNode& node, const DerivedSettings& derived, Findings& findings);

// Fails if it is unknown what is ours on this machine: then nothing may be removed. Reads only. Errors: those of
// LoadJournal and LoadMachineRecord; not-found (the record was lost).
Result<void> CheckRecords(OpenNode& node);

// The changes that RemoveSettings would make. Reads only. Errors: those of CheckRecords.
Result<std::vector<reconcile::Change>> PlanRemoval(OpenNode& node);

// Restores what was there before us, or before a payload's script, and removes the keys that were made for our values.
// Forgets the source, but not which signed payload was applied last. Errors: those of CheckRecords, before anything is
// written.
Result<reconcile::SessionReport> RemoveSettings(OpenNode& node);

}  // namespace prov::node
