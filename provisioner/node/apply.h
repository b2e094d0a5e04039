// What `plan` and `apply` do on a node: check the guards, run the engine, and record what was applied. trial.h,
// rollback.h and removal.h have what takes it back.
#pragma once

#include "provisioner/node/begin_run.h"
#include "provisioner/node/open_node.h"
#include "provisioner/node/records.h"
#include "provisioner/node/settings.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/plan.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

struct ApplyOptions {
  bool adopt = false;               // values that equal the desired ones came from our own payload: record them as ours
  bool allow_downgrade = false;     // see guards.h
  bool allow_shrink = false;        // see guards.h
  bool refuse_empty = false;        // see guards.h; for a source that a person named, not for one that is followed
  bool restart_services = false;    // restart running services whose environment changed
  bool names_pool = false;          // --pool was given, be it with the default
  bool unattended = false;          // no person watches: GuardAgainstRebootLoop applies
  bool leaves_out_refused = false;  // PlanOptions; also where `unattended`
};

// Runs the guards before anything is planned. Reads only. Errors: those of the ports; downgrade, shrink, empty,
// remote-source.
Result<void> CheckSettings(OpenNode& node, const DerivedSettings& derived, const ApplyOptions& options);

// Reads only. Errors: those of the ports; downgrade, shrink, empty.
Result<reconcile::RunReport> PlanSettings(OpenNode& node, const DerivedSettings& derived, const ApplyOptions& options);

// `run`: of BeginRun. `more` is recorded in the same step as the settings. Errors: those of CheckSettings; reboot-loop
// (unattended only).
Result<reconcile::RunReport> ApplySettings(OpenNode& node, BegunRun run, const DerivedSettings& derived,
                                           const ApplyOptions& options, reconcile::Sections more = {});

// The whole apply on this machine: BeginRun, ApplySettings, WarnOfStoredSource, and events in the log. Errors: those of
// BeginRun and ApplySettings.
Result<reconcile::RunReport> ApplyToMachine(OpenNode& node, const DerivedSettings& derived,
                                            const ApplyOptions& options);

// Adds a finding if the boot service is going to replace these settings with others.
Result<void> WarnOfStoredSource(OpenNode& node, const DerivedSettings& derived, Findings& findings);

// What ApplySettings and TrySettings share. The plan of a run, after CheckSettings and PrepareToPlan. Errors: those of
// CheckSettings.
Result<reconcile::Plan> PlanRun(OpenNode& node, BegunRun& run, const DerivedSettings& derived,
                                const ApplyOptions& options);
// The record of these settings as applied now, and the sections that store it. This ends a rollback's hold.
Result<Applied> AppliedFrom(OpenNode& node, const DerivedSettings& derived, const reconcile::Plan& plan);
void AddApplied(const Applied& applied, reconcile::Sections& sections);
// Adds the findings of the beginning and of the settings to the report, and restarts services or reports them.
Result<void> EndRun(OpenNode& node, BegunRun run, const DerivedSettings& derived, const ApplyOptions& options,
                    reconcile::RunReport& report);

}  // namespace prov::node
