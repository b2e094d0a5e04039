// kube:// URIs: the cluster and the object to read.
#pragma once

#include <string>
#include <string_view>

#include "ignition/document.h"
#include "provisioner/base/result.h"

namespace prov::source {

// kData: a Secret or ConfigMap that is no source, which no URI names.
enum class KubeKind {
  kPool,
  kMachineConfig,
  kControllerConfig,
  kProxy,
  kConfigMap,
  kClusterTrustBundle,
  kHostedCluster,
  kRancherCluster,
  kData
};

struct KubeTarget {
  std::string context;  // a context of the kubeconfig; "": its current one
  KubeKind kind = KubeKind::kPool;
  std::string name;          // the object's name
  std::string name_space{};  // "" for cluster-scoped objects
  std::string key{};         // of a ConfigMap; "": that which holds the certificates
};

// Whether it is an object of any cluster that states trusted certificates alone: a ConfigMap or a ClusterTrustBundle.
bool StatesTrustAlone(KubeKind kind);

bool IsKubeUri(std::string_view source);

// `kube://[CONTEXT][/WHAT]`. CONTEXT is percent-encoded if it holds a slash. WHAT is a pool's name, or
// machineconfigpool/NAME, machineconfig/NAME, controllerconfig, proxy, configmap/NAMESPACE/NAME[:KEY],
// clustertrustbundle/NAME, hostedcluster/NAMESPACE/NAME or ranchercluster/NAMESPACE/NAME; without it, the pool of
// `selection`. A name in `selection` takes precedence over a pool. Errors: usage.
Result<KubeTarget> ParseKubeUri(const std::string& uri, const ignition::Selection& selection);

// Whether `name` is a valid object name: a DNS subdomain in lower case, so it needs no escape in a URL.
bool IsKubeName(std::string_view name);

// `text` as a part of a URL: everything but letters, digits and "-._~" as %XX.
std::string PercentEncode(std::string_view text);

}  // namespace prov::source
