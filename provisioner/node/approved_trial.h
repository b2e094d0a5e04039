// The trial of settings that the cluster approved: this node confirms it or takes it back by itself, so that a node
// which loses its cluster by the new settings returns to the old ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "provisioner/machine/host.h"
#include "provisioner/node/apply.h"
#include "provisioner/node/approval.h"
#include "provisioner/node/begin_run.h"
#include "provisioner/node/trial.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

// A trial that waits for its proof.
struct BegunApproved {
  DerivedSettings derived;
  Approval approval;
  ApplyOptions options;
  reconcile::Sections sections;  // recorded when it is confirmed, with the record of the trial
  ApprovalRecord record;         // as written at the begin: by it and by `trial` this one is told from those of others
  std::int64_t until = 0;        // Unix time
  std::optional<Trial> trial = {};      // to confirm or to take back; nullopt: the machine was not changed
  std::optional<Applied> applied = {};  // before
  reconcile::RunReport report = {};
  std::optional<Error> failure = {};  // why it could not be applied as a whole

  // To former settings, in the place of those that the source has.
  bool returns() const { return record.pending != approval.digest; }
};

// Settings to try.
struct ApprovedSettings {
  DerivedSettings derived;
  Approval approval;
  std::optional<std::string> pending;  // the settings that wait for approval, as a rule these; see ApprovalRecord
};

// Records that the trial runs, and applies the settings on trial. Errors: those of the ports before anything was
// applied.
Result<BegunApproved> BeginApproved(OpenNode& node, BegunRun run, ApprovedSettings what, const ApplyOptions& options,
                                    reconcile::Sections sections);

struct EndedApproved {
  reconcile::RunReport run;
  ApprovedTrial trial;  // how it ended
};

// Proves the settings with the machine closed: the API server answers, then each probe, and each image arrives. Then
// confirms them, or takes them back. All together has the trial's time, and the API server half a minute of it. If
// another run has ended the trial meanwhile, what that left stays, be it a trial of a person. Errors: those of the
// ports; a later round then ends the trial.
Result<EndedApproved> EndApproved(machine::Host& host, Approver& approver, BegunApproved begun);

// Records approved settings that can't even be derived as taken back. Returns the finding.
Result<Finding> RefuseApproved(OpenNode& node, const Approval& approval, const std::optional<std::string>& pending,
                               const Error& error);

// Records a trial as cut short that the record calls running. For a begun run without an open trial of ours.
Result<void> ResolveApproved(OpenNode& node);

}  // namespace prov::node
