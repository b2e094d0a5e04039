// Everything worth telling a person about an EgressConfig, in one list: what `check` prints and `extract` carries.
#pragma once

#include <cstdint>

#include "provisioner/base/finding.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/pki/trust_store.h"

namespace prov::egress {

// The source's own findings, then those about proxy URLs (a malformed one is an error finding `proxy-url`, one that
// not every client uses `fail-open`), NO_PROXY
// and certificates. `now_unix` decides what has expired. Errors: no-proxy (control characters), the only fault here
// that makes a config unusable.
Result<Findings> Review(const EgressConfig& config, const pki::StorePolicy& policy, std::int64_t now_unix);

}  // namespace prov::egress
