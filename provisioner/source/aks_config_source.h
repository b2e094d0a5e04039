// AKS' httpProxyConfig: the file of `az aks create --http-proxy-config`, an ARM fragment, resource or template, or what
// `az aks show` prints.
// Facts: docs/egress-systems.md#aks-httpproxyconfig, #aks-noproxy and #aks-updates.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/source/reading.h"

namespace prov::source {

// Whether an object is one of these, except for templates. What Azure prints of a cluster counts even without the
// member: Azure leaves out what a cluster does not have.
bool IsAksConfig(const JsonValue& object);

// Whether a resource of an ARM template is a cluster with an httpProxyConfig. A cluster without one makes no statement.
bool IsAksResource(const JsonValue& resource);

// Errors: invalid-config where the httpProxyConfig of a template's resource is computed by an expression, or has one.
Result<void> RefuseExpressions(const JsonValue& resource, const std::string& path);

// NO_PROXY is effectiveNoProxy if it is there, else the user's entries and what AKS adds, as far as the cluster is
// known: from `az aks show`, or from a member "clusterFacts" beside httpProxyConfig or, in the command line's own file,
// beside its keys (apiServerFqdn, serviceCidrs, podCidrs, vnetCidrs, subnetCidrs). "enabled": false, an httpProxyConfig
// that is null, and a deployed cluster without one all mean "no proxy". Errors: type, invalid-config, cert; if AKS has
// a name for the error, the message begins with it. Findings: aks-disabled, aks-injected, aks-https-default,
// aks-url-slash, aks-key, aks-no-proxy, aks-limit, no-proxy-incomplete; as errors aks-url and aks-credentials.
Result<Reading> ReadAksConfig(const ObjectView& object);

// What is known about a cluster; an empty member is not known.
struct AksFacts {
  std::vector<std::string> api_servers;  // names
  std::vector<std::string> service_cidrs;
  std::vector<std::string> pod_cidrs;  // of kubenet and overlay clusters
  std::vector<std::string> vnet_cidrs;
  std::vector<std::string> subnet_cidrs;  // of the nodes, where the CNI is Azure's
};

// What AKS adds to its HTTP proxy's noProxy: five constants, then what is known of the cluster.
std::vector<std::string> AksInjected(const AksFacts& facts);

// The facts that AKS adds and that are not known here, in words; "" for none.
std::string AksUnknown(const AksFacts& facts);

// The user's entries in their order, then the others sorted, each once. AKS lists them in no fixed order, and the same
// set must give the same text.
std::string JoinNoProxy(std::span<const std::string_view> user, std::vector<std::string> others);

// Adds .svc and .cluster.local, the suffixes of names within a cluster, to the NO_PROXY of an AKS source, as far as
// they are not in it: AKS leaves them out, and without them the names of services go to the proxy. Where AKS has no
// proxy nothing changes. Errors: kind for another source, whose list is complete or its owner's own. Findings:
// aks-cluster-suffixes.
Result<void> AddClusterSuffixes(egress::EgressConfig& config);

}  // namespace prov::source
