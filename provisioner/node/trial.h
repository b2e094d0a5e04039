// A trial: settings that are taken back unless `confirm` makes them permanent in time.
#pragma once

#include <cstdint>

#include "provisioner/node/apply.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

// Applies the settings as a trial that `confirm` must make permanent within `seconds`. If nothing differs, there is no
// trial. Errors: those of PlanSettings.
Result<reconcile::SessionReport> TrySettings(OpenNode& node, BegunRun run, const DerivedSettings& derived,
                                             const ApplyOptions& options, std::int64_t seconds);

// Errors: target when no trial is open.
Result<reconcile::SessionReport> ConfirmTrial(OpenNode& node, BegunRun run);

// Whether a trial still waits for `confirm`: in this boot and within its time.
Result<bool> IsWaiting(OpenNode& node, const reconcile::Transaction& trial);

}  // namespace prov::node
