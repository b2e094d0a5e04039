// The parameters of the admission policy that gives pods the variables at their creation (pod_policy.h): the data of a
// ConfigMap, which `controller --params` keeps current. Facts: docs/fleet.md#pods-at-creation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/egress/egress_config.h"
#include "provisioner/publish/pod_env.h"

namespace prov::publish {

// The label that marks a ConfigMap of ours, and its value: one without it is somebody else's.
inline constexpr std::string_view kKeepsLabel = "egress-provisioner/keeps";
inline constexpr std::string_view kPodParamsMark = "pod-params";
// The annotation of a pod whose variables the policy has set. Its value is the digest of the parameters.
inline constexpr std::string_view kPodParamsAnnotation = "egress-provisioner/pod-params";
// The key of the digest, without which the policy leaves pods alone.
inline constexpr std::string_view kPodParamsDigest = "digest";
// The keys of the ConfigMap that pods trust, in their own namespace, and of its key.
inline constexpr std::string_view kTrustConfigMap = "trust-config-map";
inline constexpr std::string_view kTrustKey = "trust-key";

using PodParams = std::map<std::string, std::string, std::less<>>;

// The values of a source; "" for what it does not set.
ProxyValues ProxyValuesOf(const egress::EgressConfig& config);

// The ConfigMap's data: a key for each variable that is not empty, with the text that a container's `value` gets; with
// `trust` its ConfigMap and key; the digest of all of them and, with `trust`, of the source's certificates, as pods
// read a bundle when they start. The data hold the passwords of the settings.
PodParams MakePodParams(const egress::EgressConfig& config, const std::optional<PodTrust>& trust);

}  // namespace prov::publish
