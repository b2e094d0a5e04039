// A trial: settings that are taken back unless `confirm` makes them permanent in time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/machine/host.h"
#include "provisioner/node/apply.h"
#include "provisioner/node/approval.h"
#include "provisioner/node/begin_run.h"
#include "provisioner/node/records.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

// What a trial adds to its journal: the time and the boot within which it waits for `confirm`, and what is then
// recorded as applied.
struct Trial {
  std::int64_t until = 0;  // Unix time
  std::string boot;
  Applied applied;
  std::int64_t seconds = 0;  // how long it waits at most; 0: not known
  bool is_approved = false;  // of settings that the cluster approved (approved_trial.h), and no person's

  // Whether it waits no more: its time is over, or the clock was set back by more than clocks are adjusted by.
  bool IsOver(std::int64_t now) const;

  bool operator==(const Trial&) const = default;
};
Result<std::optional<Trial>> LoadTrial(machine::StateRecord& state);  // nullopt: none is open. Errors: json, type

struct TrialOptions {
  std::int64_t seconds = 0;         // how long it waits for `confirm`
  std::vector<std::string> probes;  // URLs to request with the settings; if one fails, they are taken back
  // Opens the machine for writing. Waits at least this long (in seconds) for another run to end.
  std::function<Result<std::unique_ptr<machine::OpenMachine>>(std::int64_t seconds)> open;
  std::function<void(Findings& findings)> on_wait = {};  // called before it waits; may take the findings
};

struct TrialReport {
  reconcile::RunReport run;
  bool stays = false;  // it was confirmed, or nothing differed
};

// Tries the settings on this machine, from their check to the end: it waits until the trial is confirmed, and otherwise
// takes it back. The machine is closed while it waits. Errors: those of CheckProbeUrls and TrySettings; those of a
// probe and of the ports, after the trial was taken back.
Result<TrialReport> RunTrial(machine::Host& host, const DerivedSettings& derived, const ApplyOptions& options,
                             const TrialOptions& trial);

// The first part of it: applies the settings as a trial, and logs that. If nothing differs, there is no trial.
// `is_approved`: see Trial. Errors: those of PlanSettings.
Result<reconcile::RunReport> TrySettings(OpenNode& node, BegunRun run, const DerivedSettings& derived,
                                         const ApplyOptions& options, std::int64_t seconds, bool is_approved = false);

// The second part: waits until `trial` ends, checking once a second; the machine must not be open. Returns true if it
// was confirmed, perhaps before this call, and false if it expired or was taken back.
Result<bool> AwaitConfirmation(machine::Host& host, const Trial& trial);

// Makes the open trial permanent. `more` is recorded in the same step. Errors: target when no trial is open.
Result<reconcile::RunReport> KeepTrial(OpenNode& node, BegunRun run, const reconcile::Sections& more);
// The same for `confirm`: logs that.
Result<reconcile::RunReport> ConfirmTrial(OpenNode& node, BegunRun run);

// Whether the open trial of `run` still waits for `confirm`: in this boot and within its time. False without a trial.
Result<bool> TrialWaits(OpenNode& node, const BegunRun& run);

// Takes an open trial back; like a rollback, this holds until the source changes, unless nobody took back a trial of
// approved settings (kCutShort). The record of that says how it ended. TakeTrialBack is for `rollback`, which needs an
// open trial, and may record sections that come before these; EndTrial is for any other run, and logs it. Errors: those
// of the ports.
Result<reconcile::RunReport> TakeTrialBack(OpenNode& node, const reconcile::Transaction& open, TrialEnd how,
                                           const reconcile::Sections& instead = {});
Result<void> EndTrial(OpenNode& node, BegunRun& run);

}  // namespace prov::node
