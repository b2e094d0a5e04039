// The YAML documents with which a cluster runs this program on each of its Windows nodes (templates/kubernetes).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/source/kube_uri.h"

namespace prov::fleet {

struct Deployment {
  std::string image = "provisioner";
  std::vector<std::string> args;             // of the container; $(NODE_NAME) is its Node
  std::optional<source::KubeTarget> source;  // the source that the pods may read; nullopt: no source in the cluster
  std::string api_host, api_port;            // of the API server, for the pods; "": as the cluster sets it
};

// Namespace, service account, rights, admission policies, OpenShift's SecurityContextConstraints, DaemonSet; in the
// order in which they can be applied. The same deployment gives the same bytes.
std::string Manifests(const Deployment& deployment);

}  // namespace prov::fleet
