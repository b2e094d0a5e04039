// `--signer` and `--sign`: the signer that a payload must have, and signing a payload.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "provisioner/cli/command.h"
#include "provisioner/payload/payload_signature.h"
#include "provisioner/pki/certificate.h"

namespace prov::cli {

// --signer of the commands that accept a payload.
OptionSpec SignerOption();

// The certificate that --signer names. Errors: those of ReadFile and of payload::ReadSigner.
Result<std::optional<pki::Certificate>> GivenSigner(const Arguments& arguments);

// The signer that a payload must have: `given`, or else the one pinned on the hosts. Errors: those of
// node::PinnedSigner; signature if different ones are pinned.
Result<std::optional<pki::Certificate>> WantedSigner(const std::optional<pki::Certificate>& given,
                                                     const std::vector<machine::Host*>& hosts);

// --sign and --signer of `bake`.
OptionGroup SignOptionSpecs();

// The key that --sign names; nullopt: payloads stay unsigned. Warns if the certificate is not valid at `now_unix`.
// Errors: usage (--sign without --signer), those of ReadFile, payload::ReadSigner and payload::SigningKey::Read.
Result<std::optional<payload::SigningKey>> ReadSigningKey(const Arguments& arguments, std::int64_t now_unix,
                                                          Findings& findings);

}  // namespace prov::cli
