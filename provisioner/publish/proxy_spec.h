// The spec of proxies.config.openshift.io as the cluster's network operator validates it. Facts:
// docs/openshift.md#proxy-status.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"
#include "provisioner/publish/objects.h"

namespace prov::publish {

// What spec and status share, as written; "" where there is none.
struct ProxyValues {
  Secret http_proxy;
  Secret https_proxy;
  std::string no_proxy;

  bool IsEmpty() const { return http_proxy.empty() && https_proxy.empty() && no_proxy.empty(); }
  bool operator==(const ProxyValues&) const = default;
};

struct ProxySpec {
  std::string name;  // of the object
  ProxyValues values;
  std::vector<std::string> readiness_endpoints;
  std::string trusted_ca;  // name of a ConfigMap
  ProxyValues status;      // what the object says now
};

// Errors: type (also: no spec).
Result<ProxySpec> ReadProxySpec(const ObjectReader& proxy);

// The operator's errors about the spec, in its words and in the order of its checks. The operator stops at the first
// one; this function continues. None if all three values are empty, since nothing is checked then. At most 20 items of
// noProxy are named. Passwords are hidden. No requests are made here (readiness.h).
std::vector<std::string> ValidateProxySpec(const ProxySpec& spec);

// Findings about values that the operator accepts and that will still not work as intended.
void ReviewProxySpec(const ProxySpec& spec, std::string_view where, Findings& findings);

// The proxy that the operator uses for an endpoint: httpsProxy for an https endpoint, if it is set.
const Secret& ProxyFor(const ProxyValues& values, std::string_view endpoint_scheme);

}  // namespace prov::publish
