// `pod-env --check` of a cluster with the admission policy: what new pods get, which running pods were made with former
// values, and, with --restart, their renewal.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/cli/cluster_pods.h"
#include "provisioner/publish/pod_env.h"

namespace prov::cli {

using NamesOfNamespaces = std::set<std::string, std::less<>>;

enum class Restart {
  kNotAsked,    // it was only looked at
  kDone,        // each of its pods is new
  kLeft,        // it has no rollout, or can't be judged by one: see the message
  kFailed,      // it could not be read or changed, its new pods did not become available, or lack the variables, too
  kNotReached,  // new pods of an earlier one did not become available, or lack the variables, too
};
std::string_view NameOf(Restart restart);  // "done"; "" for kNotAsked

struct RestartedWorkload {
  publish::WorkloadPods pods;
  Restart restart = Restart::kNotAsked;
  std::string message = {};  // why it was left, or failed
};

struct RunningPods {
  std::vector<RestartedWorkload> workloads;  // those with outdated pods
  bool differs = false;                      // pods lack something, or nobody could look whether they do
};

// Whether pods of former values are left.
bool NeedsRestart(const RestartedWorkload& one);

class RunningPodsCheck {
 public:
  struct Order {
    source::SourceSpec cluster;  // its source is a kube:// URI
    bool restart = false;
    std::int64_t wait_seconds = 0;  // for one workload
  };
  // What pods are to be like.
  struct Wanted {
    const ClusterPodPolicy& policy;
    const publish::PodEnvRequest& request;
    std::string digest;  // of the parameters that the source says
  };

  // Both must outlive this object.
  RunningPodsCheck(machine::Host& host, Order order, Findings& findings)
      : host_(host), order_(std::move(order)), findings_(findings) {}

  // nullopt: the cluster has no policy, or who asks may not see it. Errors, with a restart: unsupported, not-found, and
  // those of ReadPodPolicy().
  Result<std::optional<ClusterPodPolicy>> ReadPolicy();

  // Of a policy with trust: the namespaces whose pods get variables that name a file of a ConfigMap, or a key of it,
  // that is not there.
  NamesOfNamespaces FindMissingMaps(const ClusterPodPolicy& policy);

  // Restarts, where that was ordered, what is outdated, but nothing in `without_bundle`, where new pods could verify no
  // server. Errors: those of reading the pods; with a restart, invalid-config: new pods would get former values, too;
  // and what kept FindMissingMaps() from looking.
  Result<RunningPods> Look(const Wanted& wanted, const NamesOfNamespaces& without_bundle);

 private:
  Result<void> CompareParams(const ClusterPodPolicy& policy, const std::string& digest);
  Result<std::vector<publish::WorkloadPods>> Read(const Wanted& wanted);
  bool VerifyRestarts(const Wanted& wanted, std::span<RestartedWorkload> restarted);

  machine::Host& host_;
  Order order_;
  Findings& findings_;
  std::optional<Error> unread_;  // why nobody knows which namespaces have the bundle
};

}  // namespace prov::cli
