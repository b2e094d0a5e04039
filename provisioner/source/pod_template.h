// Pods and what makes them: where each kind keeps the pod's metadata and spec, and what keeps AKS' proxy variables away
// from a pod. Facts: docs/egress-systems.md#aks-pods.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "provisioner/source/object_view.h"

namespace prov::source {

// A pod with this annotation, "true", gets no variables from AKS.
inline constexpr std::string_view kAksOptOut = "kubernetes.azure.com/no-http-proxy-vars";

// Whether objects of this kind hold a pod template, or are pods.
bool IsPodKind(std::string_view kind);

// The members that lead from an object of such a kind to the one that has the pod's metadata and spec; none for a Pod.
std::span<const std::string_view> PodPath(std::string_view kind);

// What the path leads to; nullopt where a member is absent. Errors: type.
Result<std::optional<ObjectView>> PodOf(const ObjectView& object, std::string_view kind);

// metadata.annotations[kAksOptOut] of an object; nullopt where it is absent. Errors: type.
Result<std::optional<std::string_view>> AksOptOutOf(const ObjectView& object);

}  // namespace prov::source
