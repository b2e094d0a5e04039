// The YAML documents with which a cluster runs this program on each of its Windows nodes (templates/kubernetes).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/fleet/approver.h"
#include "provisioner/source/kube_uri.h"

namespace prov::fleet {

enum class ClusterKind { kOpenShift, kGke, kKubernetes };  // kKubernetes: asks for nothing of its own

// What both halves of `deploy` have in common.
struct ManifestOptions {
  std::string image = "provisioner";
  std::string name_space = std::string(kFleetNamespace);
  std::string version;             // of this program
  std::string pull_secret;         // "": none
  std::string priority_class;      // "": as the template has it
  std::string api_host, api_port;  // of the API server, for the pods; "": as the cluster sets it
};

struct Deployment {
  ManifestOptions common;
  ClusterKind cluster = ClusterKind::kOpenShift;
  std::vector<std::string> args;             // of the container; $(NODE_NAME) is its Node
  bool approval = false;                     // new settings wait for a rollout
  bool drains = false;                       // nodes wait until a coordinator has drained them
  std::optional<source::KubeTarget> source;  // the source that the pods may read; nullopt: no source in the cluster
};

// Namespace, what this kind of cluster asks for, what rollouts and drained reboots need, service account, rights,
// admission policies, DaemonSet; in the order in which they can be applied. The same deployment gives the same bytes.
std::string Manifests(const Deployment& deployment);

}  // namespace prov::fleet
