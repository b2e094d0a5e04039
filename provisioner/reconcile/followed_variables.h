// The proxy variables of the services' environments that are ours. Their values come from the settings or, if the
// Windows Machine Config Operator's daemon owns the machine's variables, from what the daemon has set. Without this,
// containerd and kubelet would keep using the proxy of settings that were delivered once, even after the cluster has
// changed it.
#pragma once

#include <vector>

#include "provisioner/reconcile/planner.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::reconcile {

// The variables that the operator's daemon has set or removed; none if the daemon was never seen. A value that would
// make clients go around the proxy is not followed but reported (finding `operator-value`). Credentials that the
// settings do not allow services to hold are left out.
Result<OperatorVariables> FollowedVariables(Planner& planner);

// `settings`, overridden by what the operator has set.
std::vector<EnvironmentVariable> Overridden(const std::vector<EnvironmentVariable>& settings,
                                            const OperatorVariables& followed);

}  // namespace prov::reconcile
