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

// What the operator has against the spec, in its words and in the order of its checks: it stops at the first, this goes
// on. None where all three values are empty: nothing is checked then. Of noProxy at most 20 items are named. Passwords
// are hidden. Requests are not made here (readiness.h).
std::vector<std::string> ValidateProxySpec(const ProxySpec& spec);

// What the operator takes and what will nevertheless not do what is meant.
void ReviewProxySpec(const ProxySpec& spec, std::string_view where, Findings& findings);

// A list as a document may show it: an item that could be a URL with a password has none.
std::string ShownNoProxy(std::string_view list);

// The proxy that the operator asks for an endpoint: httpsProxy for an https one where it is set.
const Secret& ProxyFor(const ProxyValues& values, std::string_view endpoint_scheme);

}  // namespace prov::publish
