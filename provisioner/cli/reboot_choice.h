// Requests a needed reboot in the way that was chosen.
#pragma once

#include <optional>

#include "provisioner/machine/host.h"
#include "provisioner/node/node_reporting.h"
#include "provisioner/node/reboot_request.h"
#include "provisioner/source/kube_access.h"

namespace prov::cli {

// `timeout_seconds`: as in SourceSpec. Errors: those of source::KubeAccess::Open.
Result<source::KubeAccess> OpenCluster(machine::Host& host, const node::ClusterNode& node,
                                       std::optional<int> timeout_seconds = {});

// Requests a reboot if it is needed, in the chosen way, once in each boot; the outcome is a finding. Errors: those of
// the ports and of the cluster's API.
Result<void> AskForReboot(node::OpenNode& node, const node::NodeReporting& choice, Findings& findings);

}  // namespace prov::cli
