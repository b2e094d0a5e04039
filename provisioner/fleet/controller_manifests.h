// The YAML documents with which a cluster keeps user data, and the parameters of pods, current
// (templates/kubernetes/controller).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/fleet/manifests.h"

namespace prov::fleet {

struct ControllerDeployment {
  ManifestOptions common;
  std::vector<std::string> args;  // of the container
  std::string architecture;       // of the image
  bool restricted = false;        // the namespace admits no pods on nodes
  // The source in the cluster: a machine config pool, a ConfigMap or a ClusterTrustBundle; nullopt: another source.
  std::optional<source::KubeTarget> source;
  std::string machines;          // the namespace of the Secret
  std::string secret;            // "": none is kept
  std::string operators_secret;  // in the same namespace; "": none
  std::string secret_type = "Opaque";
  bool machine_sets = false;
  std::string params_name_space, params;  // the ConfigMap with the pods' parameters; "": none is kept
  // The namespace of the pods on nodes whose new settings wait for approval; "": they don't.
  std::string fleet;
};

// The name of the controller's Deployment, Lease and account, with which those of its roles begin. For another Secret
// (or ConfigMap, if that alone is kept) than the base's, or another namespace of the pods, it has the name of that and
// a digest of all three, so that a second controller does not take the rights of the first. A DNS label.
std::string ControllerObjectName(const ControllerDeployment& deployment);

// Namespace, service account, Lease, Deployment, empty Secret, rights; in an order in which they can be applied. The
// ConfigMap comes with the pods' policy, which names it. The same deployment gives the same bytes.
std::string ControllerManifests(const ControllerDeployment& deployment);

}  // namespace prov::fleet
