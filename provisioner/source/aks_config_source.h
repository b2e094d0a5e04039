// AKS' httpProxyConfig: the file of `az aks create --http-proxy-config`, an ARM fragment, resource or template, or the
// output of `az aks show`.
// Facts: docs/egress-systems.md#aks-httpproxyconfig, #aks-noproxy and #aks-updates.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/source/reading.h"

namespace prov::source {

// Whether an object is one of these, except for templates. Azure's output about a cluster counts even without the
// member, because Azure leaves out what a cluster does not have.
bool IsAksConfig(const JsonValue& object);

// Whether a resource of an ARM template is a cluster with an httpProxyConfig. A cluster without one makes no statement.
bool IsAksResource(const JsonValue& resource);

// Errors: invalid-config if the httpProxyConfig of a template's resource is computed by an expression, or contains one.
Result<void> RefuseExpressions(const JsonValue& resource, const std::string& path);

// A pool of Windows nodes that is a resource of its own in a template.
struct AksPool {
  std::string cluster;  // its name; "" where an expression computes it
  std::string name;
  std::string path;
};

// Adds the resource if it is one, and those below the resource of a cluster.
void AddWindowsPools(const JsonValue& resource, const std::string& path, std::vector<AksPool>& out);

// Names those of the cluster that `config` was read from, if it has a proxy. Findings: aks-windows-upgrade.
void ReportWindowsPools(std::span<const AksPool> pools, egress::EgressConfig& config);

// NO_PROXY is effectiveNoProxy if it is there, else the user's entries and those that AKS adds, as far as the cluster
// is known: from `az aks show`, or from a member "clusterFacts" beside httpProxyConfig or, in the command line's own
// file, beside its keys (apiServerFqdn, serviceCidrs, podCidrs, vnetCidrs, subnetCidrs). "enabled": false, an
// httpProxyConfig that is null, and a deployed cluster without one all mean "no proxy". If AKS has a name for an error,
// the message begins with it. Errors: type, invalid-config, cert. Findings: aks-disabled, aks-injected,
// aks-https-default, aks-key, aks-no-proxy, aks-limit, aks-windows-upgrade, no-proxy-incomplete; as errors aks-url and
// aks-credentials.
Result<Reading> ReadAksConfig(const ObjectView& object);

// Adds the suffixes of names within a cluster, .svc and .cluster.local, to the NO_PROXY of an AKS source, if they are
// missing: AKS leaves them out, and without them requests to services go to the proxy. Changes nothing if AKS has no
// proxy. Errors: kind for another source, whose list is complete or set by its owner. Findings: aks-cluster-suffixes.
Result<void> AddClusterSuffixes(egress::EgressConfig& config);

}  // namespace prov::source
