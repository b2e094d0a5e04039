// Makes a container trust the certificates of a ConfigMap: a volume, the variables with which programs find a bundle,
// and on Windows a hook. Facts: docs/fleet.md#pods.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/publish/pod_env.h"
#include "provisioner/publish/pod_env_patch.h"
#include "provisioner/source/object_view.h"

namespace prov::publish {

inline constexpr std::string_view kTrustVolume = "egress-trust";

// SSL_CERT_FILE and similar variables, with the bundle's path in the container.
std::vector<PodVariable> TrustVariables(const PodTrust& trust, bool windows);

// The volume, and whether the pod's spec lacks it. Errors: type; invalid-config (the name is another volume's, unless
// `lists_all`: then it lacks ours).
Result<PodVolume> TrustVolumeOf(const source::ObjectView& spec, const PodTrust& trust, bool lists_all);

// Whether the pod or the container is a HostProcess one, by its securityContext. Errors: type.
Result<bool> IsHostProcess(const source::ObjectView& spec_or_container);

// The kind of node and pod that a container runs in.
struct PodPlace {
  bool windows = false;
  bool host_process = false;  // the pod as a whole
};

// Adds the mount and the hook that the container lacks. If something else is mounted at that path, it is left alone.
// Init containers can't have hooks, and HostProcess containers need none: their certificate store is that of the node,
// where nobody would remove the certificates again. Errors: type.
Result<void> AddTrust(const source::ObjectView& container, const PodPlace& place, PodContainer& report,
                      PatchedContainer& patched);

}  // namespace prov::publish
