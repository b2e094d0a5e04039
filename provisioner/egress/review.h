// All findings about an EgressConfig in one list: what `check` prints and `extract` includes.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/base/finding.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/pki/trust_store.h"

namespace prov::egress {

// The source's own findings, then those about proxy URLs (a malformed one is an error finding `proxy-url`, one that not
// every client uses is `fail-open`), NO_PROXY, certificates and their stores (pki/trust_store.h; MakeDesiredState
// reports those that are left out, too, so whoever calls both drops repeated findings). Certificates expire by
// `now_unix`. Errors: no-proxy (control characters), the only fault here that makes a config unusable.
Result<Findings> Review(const EgressConfig& config, const pki::TrustedDigests& trusted, std::int64_t now_unix);

// Only the findings about proxy URLs (also http-direct, https-direct, no-proxy-alone) and NO_PROXY. Errors: no-proxy.
Result<Findings> ReviewProxySettings(const EgressConfig& config);

// Adds https-direct if there is a proxy for http and none for https, and http-direct the other way round.
void ReportDirect(bool http, bool https, std::string where, Findings& findings);

}  // namespace prov::egress
