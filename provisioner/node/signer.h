// The pinned signer: whose signature a payload must have on a machine.
#pragma once

#include <optional>

#include "provisioner/base/finding.h"
#include "provisioner/machine/host.h"
#include "provisioner/pki/certificate.h"

namespace prov::node {

// nullopt: none is pinned, and any payload that agrees with its manifest will do. Errors: those of the port; cert or
// signature where what is pinned can't be used: that it can't be read must not mean that none is wanted.
Result<std::optional<pki::Certificate>> PinnedSigner(machine::Host& host);

// From now on only payloads that `signer` signed are taken here. Told as a finding when that is new. Whether anything
// was written.
Result<bool> PinSigner(machine::Host& host, const pki::Certificate& signer, Findings& findings);

}  // namespace prov::node
