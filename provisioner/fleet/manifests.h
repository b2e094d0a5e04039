// What a cluster needs to run this program on each of its Windows nodes, as YAML documents (templates/kubernetes).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/source/kube_uri.h"

namespace prov::fleet {

struct Deployment {
  std::string image = "provisioner";
  std::vector<std::string> args;             // of the container; its Node is $(NODE_NAME)
  std::optional<source::KubeTarget> source;  // whose rights are needed; nullopt: no source in the cluster
  std::string api_host, api_port;            // where pods find the API server; "": as the cluster tells them
};

// Namespace, service account, rights, admission policies, OpenShift's SecurityContextConstraints, DaemonSet; in the
// order in which they can be applied. The same deployment gives the same bytes.
std::string Manifests(const Deployment& deployment);

}  // namespace prov::fleet
