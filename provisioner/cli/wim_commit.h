// How the commands that edit images end: what they wrote becomes durable, and what a WIM file still holds of the old is
// said or taken out.
#pragma once

#include <vector>

#include "provisioner/cli/machine_command.h"
#include "provisioner/cli/targets.h"

namespace prov::cli {

// Whether a password may be in what these changes took away.
bool MayHaveTakenPassword(const std::vector<reconcile::Change>& changes);

// Commits. With --optimize a WIM file that holds anything unused is rewritten then; without, the first report gets the
// warning wim-freed-blobs where a password may be in there. Errors: those of Targets::Commit and WimFile::Optimize.
Result<void> CommitTargets(const TargetOptions& options, Targets& targets, std::vector<TargetReport>& reports);

}  // namespace prov::cli
