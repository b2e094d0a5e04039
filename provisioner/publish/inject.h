// Injects what the cluster's operators put into other objects: the merged bundle into labelled ConfigMaps, and the
// proxy variables into annotated workloads. Facts: docs/openshift.md#trusted-cas,
// docs/egress-systems.md#injected-variables.
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
  std::size_t config_maps = 0;      // number that got the bundle
  std::size_t workloads = 0;        // number that got variables
  std::vector<std::string> errors;  // the operator's messages about containers that do not exist
};

// Changes an object, each item of a List, or each of several documents, in place:
// - a ConfigMap with the label "true" gets data["ca-bundle.crt"]; its other keys stay;
// - in a Deployment or DaemonSet with the annotation "c1,c2", the containers and init containers with these names get
//   HTTP_PROXY, HTTPS_PROXY and NO_PROXY at the end of their env: all three unless all are empty. A container that
//   already ends in exactly these stays as it is, so that the result can be given again.
// Findings: inject-kind, inject-label, inject-duplicate. Errors: type, too-large (all copies of the bundle together),
// not-found (a ConfigMap requests the bundle, and it is empty).
Result<InjectionReport> Inject(Object& object, const Injection& injection, Findings& findings);

}  // namespace prov::publish
