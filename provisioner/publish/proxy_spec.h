// The spec of proxies.config.openshift.io as the cluster's network operator validates it. Facts:
// docs/openshift.md#proxy-status.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"
#include "provisioner/publish/objects.h"

namespace prov::publish {

// The values that spec and status share, as written; "" if absent.
struct ProxyValues {
  Secret http_proxy;
  Secret https_proxy;
  std::string no_proxy;

  bool IsEmpty() const { return http_proxy.empty() && https_proxy.empty() && no_proxy.empty(); }
  // Each variable of an environment with its value.
  std::array<std::pair<std::string_view, std::string_view>, 3> Variables() const {
    return {{{"HTTP_PROXY", http_proxy.Reveal()}, {"HTTPS_PROXY", https_proxy.Reveal()}, {"NO_PROXY", no_proxy}}};
  }
  bool operator==(const ProxyValues&) const = default;
};

struct ProxySpec {
  std::string name;  // of the object
  ProxyValues values;
  std::vector<std::string> readiness_endpoints;
  std::string trusted_ca;  // name of a ConfigMap
  ProxyValues status;      // the object's present status
};

// Errors: type (also for a missing spec).
Result<ProxySpec> ReadProxySpec(const source::ObjectView& proxy);

// Sets `status` of a Proxy in place; keeps its members that are not about proxies.
void SetProxyStatus(Object& proxy, const ProxyValues& status);

// The operator's errors about the spec, in its wording and in the order of its checks. (The operator stops at the
// first; this function continues.) Empty if all three values are empty, because nothing is checked then. Names at most
// 20 items of noProxy, and hides passwords. Makes no requests (see readiness.h).
std::vector<std::string> ValidateProxySpec(const ProxySpec& spec);

// Findings about values that the operator accepts but that will not work as intended.
void ReviewProxySpec(const ProxySpec& spec, std::string_view where, Findings& findings);

// The proxy that the operator uses for an endpoint: for https, httpsProxy if it is set.
const Secret& ProxyFor(const ProxyValues& values, std::string_view endpoint_scheme);

}  // namespace prov::publish
