// What an API server serves.
#pragma once

#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/source/kube_client.h"

namespace prov::source {

// Of the policies in the cluster's own admission, with which this program's manifests come.
inline constexpr std::string_view kAdmissionGroup = "admissionregistration.k8s.io";
inline constexpr std::string_view kValidatingPolicies = "validatingadmissionpolicies";  // Kubernetes 1.30 and later
inline constexpr std::string_view kValidatingBindings = "validatingadmissionpolicybindings";
inline constexpr std::string_view kMutatingPolicies = "mutatingadmissionpolicies";  // Kubernetes 1.36 and later

// Whether the API server knows this resource in GROUP/v1. Every account may ask. Errors: those of KubeClient::Get;
// json, type.
Result<bool> Serves(KubeClient& client, std::string_view group, std::string_view resource);

}  // namespace prov::source
