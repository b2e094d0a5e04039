// Where the proxy lived before OpenShift 4.7: `Environment=` lines in drop-in files (4.2-4.4) or in drop-ins and units
// (4.5, 4.6). Facts: docs/openshift.md#proxyenv.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ignition/config.h"
#include "provisioner/base/finding.h"
#include "provisioner/egress/environment_file.h"

namespace prov::source {

struct LegacyEnvironment {
  std::string path;   // the file, or unit and drop-in, that was taken
  std::string bytes;  // its text
  unsigned mode = 0644;
  std::vector<egress::Assignment> assignments;  // the proxy variables among its Environment= lines
};

// The first of the old places that the config has. nullopt: none, or they only refer to /etc/mco/proxy.env. Places that
// disagree with the one taken are a finding.
Result<std::optional<LegacyEnvironment>> ReadLegacyEnvironment(const ignition::Config& config, Findings& findings);

}  // namespace prov::source
