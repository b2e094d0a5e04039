// The pods of a cluster that has the admission policy of pod-env: which namespaces it is for, with which parameters,
// and which running pods were made with others.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "provisioner/cli/command.h"
#include "provisioner/publish/pod_policy.h"
#include "provisioner/publish/pod_runs.h"

namespace prov::cli {

struct ClusterPodPolicy {
  publish::PodParamsPlace params_place;
  std::optional<std::string> digest;  // of the parameters; nullopt: there are none
  std::optional<publish::PodTrust> trust;
  std::set<std::string, std::less<>> namespaces;  // whose pods get the variables

  bool Selects(std::string_view name_space) const { return namespaces.contains(name_space); }
};

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
