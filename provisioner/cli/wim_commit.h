// The last step of commands that edit images: commits what they wrote, and reports the old data that a WIM file still
// holds.
#pragma once

#include <vector>

#include "provisioner/cli/machine_command.h"
#include "provisioner/cli/targets.h"

namespace prov::cli {

// Whether the data that these changes removed may hold a password.
bool MayHaveTakenPassword(const std::vector<reconcile::Change>& changes);

// Commits. Where a WIM file then holds unused bytes with what may be a password, the first report gets the warning
// wim-freed-blobs. Errors: those of Targets::Commit.
Result<void> CommitTargets(const TargetOptions& options, Targets& targets, std::vector<TargetReport>& reports);

}  // namespace prov::cli
