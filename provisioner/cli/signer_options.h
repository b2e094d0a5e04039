// `--signer` and `--sign`: whose signature a payload must have, and making one.
#pragma once

#include <optional>
#include <vector>

#include "provisioner/cli/command.h"
#include "provisioner/payload/payload_signature.h"
#include "provisioner/pki/certificate.h"

namespace prov::cli {

// --signer of the commands that take a payload.
OptionSpec SignerOption();

// The certificate that --signer names. Errors: those of ReadFile and of payload::ReadSigner.
Result<std::optional<pki::Certificate>> GivenSigner(const Arguments& arguments);

// Whose signature a payload must have: `given`, or else what is pinned on the hosts. Errors: those of
// node::PinnedSigner; signature where different ones are pinned.
Result<std::optional<pki::Certificate>> WantedSigner(const std::optional<pki::Certificate>& given,
                                                     const std::vector<machine::Host*>& hosts);

// --sign and --signer of `bake`.
std::vector<OptionSpec> SignOptionSpecs();

// The key that --sign names; nullopt: payloads stay unsigned. Warns of a certificate that is not valid now. Errors:
// usage
// (--sign without --signer), those of ReadFile, payload::ReadSigner and payload::SigningKey::Read.
Result<std::optional<payload::SigningKey>> ReadSigningKey(const Arguments& arguments, Findings& findings);

}  // namespace prov::cli
