// Options that the last run was given and this one was not, such as --service: what they stood for is taken back, which
// a person may not have meant.
#pragma once

#include <optional>

#include "provisioner/base/finding.h"
#include "provisioner/node/records.h"
#include "provisioner/node/settings.h"
#include "provisioner/payload/payload.h"
#include "provisioner/payload/payload_reader.h"

namespace prov::node {

// Adds a finding (`option-left-out`) for each of them. `before`: the record of the last run, if there is one.
// `names_pool`: this run was given --pool, so it has left out none.
void ReportLeftOut(const std::optional<Applied>& before, const Settings& now, bool names_pool, Findings& findings);

// The same for a payload that is replaced, as far as its files tell. `after`: the new one.
void ReportLeftOut(const payload::LoadedPayload& before, const payload::Payload& after, const Settings& now,
                   Findings& findings);

}  // namespace prov::node
