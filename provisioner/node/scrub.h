// Scrub: removes the files of a delivered payload that hold secrets, once Windows setup is over. Until then, setup may
// still run the payload's scripts.
#pragma once

#include <string>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/machine/state_record.h"
#include "provisioner/node/open_node.h"
#include "provisioner/reconcile/journal.h"

namespace prov::node {

// Adds full paths to remember to `sections`; removes nothing yet.
void RememberSecretFiles(const std::vector<std::string>& paths, reconcile::Sections& sections);

// Removes the remembered files if Windows setup is over. A file that can't be removed is a finding, and is tried again.
Result<void> ScrubSecretFiles(OpenNode& node, Findings& findings);

// `SYSTEM\Setup\SystemSetupInProgress`.
Result<bool> SetupIsRunning(machine::Registry& registry);

}  // namespace prov::node
