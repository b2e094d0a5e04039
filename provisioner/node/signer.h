// The pinned signer: the certificate whose signature a payload must have on a machine.
#pragma once

#include <optional>

#include "provisioner/base/finding.h"
#include "provisioner/machine/host.h"
#include "provisioner/pki/certificate.h"

namespace prov::node {

// nullopt: none is pinned, and any payload that matches its manifest is accepted. Errors: those of the port; cert or
// signature if the pinned certificate can't be used, because a damaged one must not count as none.
Result<std::optional<pki::Certificate>> PinnedSigner(machine::Host& host);

// Accepts only payloads that `signer` signed from now on. Adds a finding if that is new. Returns whether anything was
// written.
Result<bool> PinSigner(machine::Host& host, const pki::Certificate& signer, Findings& findings);

}  // namespace prov::node
