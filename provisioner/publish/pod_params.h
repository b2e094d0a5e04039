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
// read a bundle when they start. The data hold the passwords of the settings; the digest confirms a guess of one only
// slowly (egress::SlowDigest), and so with a password this takes some tenths of a second.
PodParams MakePodParams(const egress::EgressConfig& config, const std::optional<PodTrust>& trust);

// Warns (pod-policy-secret) of a password in the ConfigMap's data.
void ReviewPodParams(const PodParams& params, const std::string& where, Findings& findings);

// What pods trust by the ConfigMap's data; nullopt: nothing. Without a key it is the default of ParsePodTrust().
// Errors: invalid-config, with `where`.
Result<std::optional<PodTrust>> PodTrustOf(const PodParams& params, const std::string& where);

// The data of a kept ConfigMap, whose present data say what pods trust. Errors: those of PodTrustOf and of
// egress::ParseUsableProxies, so that pods never get what `bake` refuses; empty: the source makes no statement about a
// proxy, and the present data have one.
Result<PodParams> RenewPodParams(const PodParams& present, const egress::EgressConfig& config,
                                 const std::string& where);

}  // namespace prov::publish
