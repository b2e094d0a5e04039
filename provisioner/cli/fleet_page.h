// The page that `fleet status --html` writes: who has the wanted settings, who has not and why, and the rollout.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/base/result.h"
#include "provisioner/cli/options.h"
#include "provisioner/fleet/fleet_status.h"

namespace prov::cli {

// In UTF-8: the same state at the same time gives the same bytes. `now`: Unix time.
std::string RenderFleetPage(const fleet::FleetStatus& fleet, std::int64_t now);

// Writes the page; replaces an earlier page, but no other file. Errors: target, io.
Result<void> WriteFleetPage(const std::string& path, const fleet::FleetStatus& fleet, std::int64_t now);

}  // namespace prov::cli
