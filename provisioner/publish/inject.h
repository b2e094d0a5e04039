// What the cluster's operators inject into other objects: the merged bundle into labelled ConfigMaps, the proxy
// variables into annotated workloads. Facts: docs/openshift.md#trusted-cas, docs/egress-systems.md#injected-variables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/publish/objects.h"
#include "provisioner/publish/proxy_spec.h"
#include "provisioner/source/trust_names.h"

namespace prov::publish {

using source::kInjectBundleLabel;
inline constexpr std::string_view kInjectProxyAnnotation = "config.openshift.io/inject-proxy";

// The injected values. They and the text of `bundle` must outlive the objects, which refer to both.
struct Injection {
  std::string_view bundle;
  ProxyValues proxy;
};

struct InjectionReport {
  std::size_t config_maps = 0;      // that got the bundle
  std::size_t workloads = 0;        // that got variables
  std::vector<std::string> errors;  // the operator's text: a container that is not there
};

// Changes an object, each item of a List, or each of several documents, in place:
// - a ConfigMap with the label "true" gets data["ca-bundle.crt"]; its other keys stay;
// - in a Deployment or DaemonSet with the annotation "c1,c2" the containers and init containers of these names get
//   HTTP_PROXY, HTTPS_PROXY and NO_PROXY at the end of their env, all three even where one is empty, unless all are.
//   A container that already ends in exactly these stays as it is, so that the result can be given again.
// Findings: inject-kind, inject-label, inject-duplicate. Errors: type, too-large (what all copies of the bundle add up
// to), not-found (a ConfigMap asks for the bundle, and it is empty).
Result<InjectionReport> Inject(Object& object, const Injection& injection, Findings& findings);

}  // namespace prov::publish
