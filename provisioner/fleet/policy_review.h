// Whether a cluster has the ValidatingAdmissionPolicies that `deploy` prints (templates/kubernetes).
#pragma once

#include <span>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/source/kube_client.h"

namespace prov::fleet {

inline constexpr std::string_view kNodesPolicy = "egress-provisioner-nodes";
inline constexpr std::string_view kEventsPolicy = "egress-provisioner-events";
inline constexpr std::string_view kRolloutPolicy = "egress-provisioner-rollout";
inline constexpr std::string_view kRebootPolicy = "egress-provisioner-reboot";

// Says which of the policies `wanted` are missing, or are in no binding that denies. An overlay may have put something
// before and after their names. Findings: fleet-policies; an info where that can't be read.
void ReviewPolicies(source::KubeClient& client, std::span<const std::string_view> wanted, Findings& findings);

}  // namespace prov::fleet
