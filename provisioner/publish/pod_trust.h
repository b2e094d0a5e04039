// Makes a container trust the certificates of a ConfigMap: a volume, the variables with which programs find a bundle,
// and on Windows a hook. Facts: docs/fleet.md#pods.
#pragma once

#include <string_view>
#include <vector>

#include "provisioner/publish/pod_env.h"
#include "provisioner/publish/pod_env_patch.h"
#include "provisioner/source/object_view.h"

namespace prov::publish {

inline constexpr std::string_view kTrustVolume = "egress-trust";

// SSL_CERT_FILE and similar variables, with the bundle's path in the container.
std::vector<PodVariable> TrustVariables(const PodTrust& trust, bool windows);

// The volume, and what the pod's spec has of it. Errors: type.
Result<PodVolume> TrustVolumeOf(const source::ObjectView& spec, const PodTrust& trust);

// Whether a mount path is the place of the bundle, however it is spelled: with other slashes, "." and, on Windows,
// another case or without the drive. kubelet makes such paths absolute [code].
bool IsTrustPlace(std::string_view path, bool windows);

// Whether the pod or the container is a HostProcess one, by its securityContext. Errors: type.
Result<bool> IsHostProcess(const source::ObjectView& spec_or_container);

// The kind of node and pod that a container runs in.
struct PodPlace {
  bool windows = false;
  bool host_process = false;  // the whole pod is a HostProcess pod
};

// Adds the mount and the hook that the container lacks; neither, and `report.untrusted`, if another volume is mounted
// at the place or has the name. Init containers can't have hooks. HostProcess containers get none: their certificate
// store is the node's, from which the certificates would never be removed. Errors: type.
Result<void> AddTrust(const source::ObjectView& container, const PodPlace& place, const PodVolume& volume,
                      PodContainer& report, PatchedContainer& patched);

}  // namespace prov::publish
