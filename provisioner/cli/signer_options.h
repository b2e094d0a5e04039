// `--signer` and `--for`: what a payload must have. `--sign`, `--next-signer` and `--for` of `bake`: what it gets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/cli/command.h"
#include "provisioner/payload/payload_signature.h"
#include "provisioner/payload/pin.h"
#include "provisioner/pki/certificate.h"

namespace prov::cli {

// --signer and --for of the commands that accept a payload.
OptionGroup PinOptionSpecs();

// The certificate that --signer names. Errors: those of ReadFile and of payload::ReadSigner.
Result<std::optional<pki::Certificate>> GivenSigner(const Arguments& arguments);

// What --signer and --for name. Errors: usage; those of GivenSigner.
Result<payload::Pin> GivenPin(const Arguments& arguments);

// What a payload must have: what was given, and else what is pinned on the hosts. Errors: those of node::PinWith;
// signature if different things are pinned.
Result<payload::Pin> WantedPin(const payload::Pin& given, const std::vector<machine::Host*>& hosts);

// --sign, --signer, --next-signer and --for of `bake`.
OptionGroup SignOptionSpecs();

// The key that --sign names; nullopt: payloads stay unsigned. Warns if the certificate is not valid at `now_unix`.
// Errors: usage (--sign without --signer), those of ReadFile, payload::ReadSigner and payload::SigningKey::Read.
Result<std::optional<payload::SigningKey>> ReadSigningKey(const Arguments& arguments, std::int64_t now_unix,
                                                          Findings& findings);

// The certificate that --next-signer names, in DER; "": none. Errors: usage (without --sign, or the signer itself),
// those of ReadFile and payload::ReadSigner.
Result<std::string> ReadNextSigner(const Arguments& arguments);

// The cluster that --for names; "": none. Errors: usage.
Result<std::string> GivenCluster(const Arguments& arguments);

}  // namespace prov::cli
