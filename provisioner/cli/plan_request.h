// What `plan` and `apply` take from the command line.
#pragma once

#include <vector>

#include "provisioner/cli/options.h"
#include "provisioner/cli/targets.h"
#include "provisioner/machine/host.h"
#include "provisioner/node/image_run.h"
#include "provisioner/node/settings.h"

namespace prov::cli {

// --install and --exe.
OptionGroup ImageOptionSpecs();

struct PlanRequest {
  bool json = false;
  node::ApplyOptions apply;
  node::ImageOptions image;
  TargetOptions target;
  node::SettingsSpec settings;

  // Reads the settings. A payload must have what is given, or else what is pinned on the hosts. Fails before
  // that if the machine itself is meant and can't be opened, as on a system that is not Windows.
  Result<node::DerivedSettings> Derive(machine::Host& live, const std::vector<machine::Host*>& hosts) const;
};
// Errors: usage (an option of images without --root or --wim, or the reverse), proxy-url, those of LoadProgramFile and
// of GivenPin.
Result<PlanRequest> ParsePlanRequest(const Arguments& arguments);

}  // namespace prov::cli
