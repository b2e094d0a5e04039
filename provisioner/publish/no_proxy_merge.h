// status.noProxy: merges the user's list with the destinations that the cluster must reach directly, as OpenShift's
// network operator does from 4.8 on. Facts: docs/openshift.md#merged-noproxy.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/publish/objects.h"

namespace prov::publish {

struct Infrastructure {
  std::string name;
  std::string api_internal_url;         // status.apiServerInternalURI
  std::optional<std::string> platform;  // status.platformStatus.type; nullopt: no platformStatus
  std::string region;                   // of AWS
  std::string cloud_name;               // of Azure
  std::string arm_endpoint;             // of Azure Stack
  std::optional<bool> hosted = {};  // the control plane runs elsewhere (HyperShift); nullopt: the object does not say
  bool api_by_proxy = false;        // the internal API server is reached through the proxy, so its URL is ignored
};

struct Network {
  std::string name;
  std::vector<std::string> service_networks;  // CIDRs
  std::vector<std::string> cluster_networks;
};

struct InstallConfig {
  std::string machine_cidr;  // the older single network; "" if there is none
  std::vector<std::string> machine_networks;
};

// Errors: type.
Result<Infrastructure> ReadInfrastructure(const source::ObjectView& object);
Result<Network> ReadNetwork(const source::ObjectView& object);
// Reads an install-config, or the ConfigMap cluster-config-v1 that contains one (nullopt: the key is missing). Errors:
// json, yaml, kind, type, too-large.
Result<std::optional<InstallConfig>> ReadInstallConfig(std::string bytes, const std::string& where);

// The merged list, sorted bytewise, each entry once; "*" alone stays. The errors are the operator's messages: a missing
// or malformed network, or an invalid URL of the internal API server. Without an install-config adds no machine
// networks, and without AWS' region not the domain of its nodes.
std::expected<std::string, std::string> MergeNoProxy(std::string_view user, const Infrastructure& infrastructure,
                                                     const Network& network,
                                                     const std::optional<InstallConfig>& install_config);

// The facts about the cluster in these objects, for the review of the merged list.
egress::ClusterFacts FactsOf(const Infrastructure& infrastructure, const Network& network);

}  // namespace prov::publish
