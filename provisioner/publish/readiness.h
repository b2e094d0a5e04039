// The operator's readiness probes: requests to spec.readinessEndpoints through the new proxy, before it is published.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "provisioner/base/clock.h"
#include "provisioner/net/http.h"
#include "provisioner/pki/certificate.h"
#include "provisioner/publish/proxy_spec.h"

namespace prov::publish {

struct Probe {
  std::string url;  // redacted, as the other texts are
  std::string via;  // the proxy
  bool ok = false;
  int status = 0;  // of the last response; 0: there was none
  int tries = 0;
  std::string error;  // the operator's message
};

struct ProbePorts {
  net::Http& http;
  Clock& clock;
};

// Requests one endpoint after another with GET, each in up to three tries a second apart; a status from 200 to 399 is a
// success. Stops at the first endpoint that fails, as the operator does, and after twenty endpoints. Trusts only
// `roots`; if they are empty, what this system trusts. The spec must have passed ValidateProxySpec. Ignores noProxy.
// Does not follow redirects; the operator does.
std::vector<Probe> ProbeReadiness(const ProxySpec& spec, std::span<const pki::Certificate> roots,
                                  const ProbePorts& ports);

}  // namespace prov::publish
