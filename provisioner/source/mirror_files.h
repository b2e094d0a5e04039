// The files of a rendered config that speak of image registries: registries.conf, its drop-ins, and CAs of single
// registries.
// Facts: docs/registries.md#mirrors-of-a-cluster.
#pragma once

#include "ignition/config.h"
#include "provisioner/egress/egress_config.h"

namespace prov::source {

// Fills in config.mirrors and config.pull_secret. Errors: those of ignition::Config::Read. Findings: mirrors-invalid,
// not-read (keys and files that are not known).
Result<void> ReadMirrorFiles(const ignition::Config& from, egress::EgressConfig& config);

}  // namespace prov::source
