// The pinned signer: whose signature a payload must have on a machine.
#pragma once

#include <optional>

#include "provisioner/base/finding.h"
#include "provisioner/machine/host.h"
#include "provisioner/pki/certificate.h"

namespace prov::node {

// nullopt: none is pinned, and any payload that matches its manifest is accepted. Errors: those of the port; cert or
// signature if the pinned certificate can't be used: an unreadable one must not mean that none is required.
Result<std::optional<pki::Certificate>> PinnedSigner(machine::Host& host);

// From now on only payloads that `signer` signed are accepted here. A finding says so if that is new. Returns whether
// anything was written.
Result<bool> PinSigner(machine::Host& host, const pki::Certificate& signer, Findings& findings);

}  // namespace prov::node
