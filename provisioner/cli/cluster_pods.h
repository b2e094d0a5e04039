// What pod-env reads of a cluster: the objects that create pods, the admission policy (which namespaces it is for, with
// which parameters), and the running pods, of which some were made with others.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "provisioner/machine/host.h"
#include "provisioner/publish/pod_policy.h"
#include "provisioner/publish/pod_runs.h"
#include "provisioner/source/source_spec.h"

namespace prov::cli {

struct ClusterPodPolicy {
  publish::PodParamsPlace params_place;
  std::optional<std::string> digest;  // of the parameters; nullopt: there are none
  std::optional<publish::PodTrust> trust;
  std::set<std::string, std::less<>> namespaces;  // whose pods get the variables

  bool Selects(std::string_view name_space) const { return namespaces.contains(name_space); }
};

// Reads the objects that create pods (Deployments, DaemonSets, StatefulSets and CronJobs), after the RuntimeClasses
// that they may name. Reads the lists in pages and passes each page to `take`, as JSON, with its place for messages.
// `cluster`: its source is a kube:// URI. Skips kinds that the cluster does not know, and RuntimeClasses that it does
// not give. Errors: those of source::KubeClient::ListPages and of `take`.
Result<void> ReadWorkloads(machine::Host& host, const source::SourceSpec& cluster,
                           const std::function<Result<void>(std::string page, const std::string& where)>& take);

// Reads the policy's binding, its ConfigMap and the cluster's namespaces. nullopt: the cluster has no such binding.
// `cluster`: its source is a kube:// URI. Errors: those of source::KubeClient::Get, type, invalid-config.
Result<std::optional<ClusterPodPolicy>> ReadPodPolicy(machine::Host& host, const source::SourceSpec& cluster);

// Whether the API server knows such policies (Kubernetes 1.36 and later). Errors: those of source::Serves.
Result<bool> KnowsPodPolicies(machine::Host& host, const source::SourceSpec& cluster);

// The namespaces that have this ConfigMap with this key. Errors: those of source::KubeClient::ListPages, type.
Result<std::set<std::string, std::less<>>> NamespacesWith(machine::Host& host, const source::SourceSpec& cluster,
                                                          const publish::PodTrust& trust);

// Gives `runs` the pods of the cluster, after the ReplicaSets and Jobs that own them. Errors: those of
// source::KubeClient::ListPages and of PodRuns.
Result<void> ReadPodRuns(machine::Host& host, const source::SourceSpec& cluster, publish::PodRuns& runs);

}  // namespace prov::cli
