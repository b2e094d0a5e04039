// The last step of commands that edit images: commits the changes, and reports old data that a WIM file still holds.
#pragma once

#include <vector>

#include "provisioner/cli/run_output.h"
#include "provisioner/cli/targets.h"

namespace prov::cli {

// Whether the data that these changes removed or replaced may hold a password.
bool MayHaveTakenPassword(const std::vector<reconcile::Change>& changes);

// Commits the targets. If a WIM file then has unreferenced bytes that may hold a password, adds the warning
// wim-freed-blobs to the first report. Errors: those of Targets::Commit.
Result<void> CommitTargets(const TargetOptions& options, Targets& targets, std::vector<TargetReport>& reports);

}  // namespace prov::cli
