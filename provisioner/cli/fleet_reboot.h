// `fleet reboot`.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/cli/command.h"
#include "provisioner/fleet/reboot_plan.h"

namespace prov::cli {

inline constexpr std::string_view kForceOption = "force";  // of `fleet reboot` alone

Result<Outcome> RunFleetReboot(const Arguments& arguments, machine::Host& host, const std::string& cluster);

}  // namespace prov::cli
