// Scrub: removes files of a delivered payload that hold secrets once Windows setup is over; until then setup may still
// run the payload's scripts.
#pragma once

#include <string>
#include <vector>

#include "provisioner/node/apply.h"

namespace prov::node {

// Full paths, remembered with `sections`; nothing is removed yet.
void RememberSecretFiles(const std::vector<std::string>& paths, reconcile::Sections& sections);

// Removes the remembered files if Windows setup is over. A file that can't be removed is a finding, and is tried again.
Result<void> ScrubSecretFiles(OpenNode& node, Findings& findings);

// `SYSTEM\Setup\SystemSetupInProgress`.
Result<bool> SetupIsRunning(machine::Registry& registry);

}  // namespace prov::node
