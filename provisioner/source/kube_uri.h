// kube:// URIs: which object is read from which cluster.
#pragma once

#include <string>
#include <string_view>

#include "ignition/document.h"
#include "provisioner/base/result.h"

namespace prov::source {

enum class KubeKind { kPool, kMachineConfig, kControllerConfig, kProxy };

struct KubeTarget {
  std::string context;  // of the kubeconfig; "": its current one
  KubeKind kind = KubeKind::kPool;
  std::string name;  // of the object
};

bool IsKubeUri(std::string_view source);

// `kube://[CONTEXT][/WHAT]`. CONTEXT is percent-encoded if it holds a slash. WHAT is a pool's name, or
// machineconfigpool/NAME, machineconfig/NAME, controllerconfig or proxy; without it, the pool of `selection`. A name in
// `selection` takes precedence over a pool. Errors: usage.
Result<KubeTarget> ParseKubeUri(const std::string& uri, const ignition::Selection& selection);

// Whether `name` can be the name of an object: a DNS subdomain in lower case, so it needs no escape in a URL.
bool IsKubeName(std::string_view name);

// `text` as a part of a URL: all but letters, digits and "-._~" as %XX.
std::string PercentEncode(std::string_view text);

}  // namespace prov::source
