// Pods, and the objects that create pods, as sources: their containers have the proxy variables that AKS' webhook or
// the cluster-version operator added. Also knows where each kind keeps the pod's metadata and spec. Facts:
// docs/egress-systems.md#aks-pods and #injected-variables.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "provisioner/source/object_view.h"
#include "provisioner/source/reading.h"

namespace prov::source {

// A pod with this annotation, "true", gets no variables from AKS.
inline constexpr std::string_view kAksOptOut = "kubernetes.azure.com/no-http-proxy-vars";

// Whether objects of this kind have a pod template, or are pods.
bool IsPodKind(std::string_view kind);

// The path of members from such an object to the one that has the pod's metadata and spec; empty for a Pod.
std::span<const std::string_view> PodPath(std::string_view kind);

// The value at that path; nullopt if a member is absent. Errors: type.
Result<std::optional<ObjectView>> PodOf(const ObjectView& object, std::string_view kind);

// metadata.annotations[kAksOptOut] of an object; nullopt if it is absent. Errors: type.
Result<std::optional<std::string_view>> AksOptOutOf(const ObjectView& object);

// Whether a container of it assigns a proxy variable, in either case; what is malformed assigns none.
bool HasProxyVariables(const ObjectView& object, std::string_view kind);

// HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the first container that has a URL, else one of them; no statement about
// certificates. A pod that opted out of AKS' variables and has none makes no statement. Errors: kind if no container
// has any, or a URL in lower case only; type; invalid-config if a value comes from a Secret or ConfigMap. Findings:
// containers-differ, env-lower-case, env-reference, not-read (envFrom), pod-opt-out.
Result<Reading> ReadPodEnvironment(const ObjectView& object, std::string_view kind);

}  // namespace prov::source
