// Options that the last run on a node was given and this one was not, such as --service: what they stood for is taken
// back, which a person may not have meant.
#pragma once

#include <optional>

#include "provisioner/base/finding.h"
#include "provisioner/node/records.h"
#include "provisioner/node/settings.h"

namespace prov::node {

// Adds a finding (`option-left-out`) for each of them. `before`: the record of the last run, if there is one.
// `names_pool`: this run was given --pool, so it has left out none.
void ReportLeftOut(const std::optional<Applied>& before, const Settings& now, bool names_pool, Findings& findings);

}  // namespace prov::node
