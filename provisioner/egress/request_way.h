// The way of a request that a Go program on a node would make with the settings of a source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/egress/decision.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/pki/trust_store.h"

namespace prov::egress {

struct RequestWay {
  Decision decision;
  std::optional<Secret> proxy_url;  // with its credentials; nullopt: direct, or an invalid proxy

  std::string Via() const;  // the proxy's URL without credentials, or "direct"
};

// Errors: those of Decide().
Result<RequestWay> WayOf(const EgressConfig& config, const std::string& url);

// The certificates that a node would trust, in DER: those that it leaves out are not among them.
std::vector<std::string> RootsOf(const EgressConfig& config, const pki::TrustedDigests& trusted);

}  // namespace prov::egress
