// The last step of commands that edit images: commits what they wrote, and reports or removes the old data that a WIM
// file still holds.
#pragma once

#include <vector>

#include "provisioner/cli/machine_command.h"
#include "provisioner/cli/targets.h"

namespace prov::cli {

// Whether the data that these changes removed may hold a password.
bool MayHaveTakenPassword(const std::vector<reconcile::Change>& changes);

// Commits. With --optimize a WIM file that holds anything unused is then rewritten. Without it, the first report gets
// the warning wim-freed-blobs if a password may be in there. Errors: those of Targets::Commit and WimFile::Optimize.
Result<void> CommitTargets(const TargetOptions& options, Targets& targets, std::vector<TargetReport>& reports);

}  // namespace prov::cli
