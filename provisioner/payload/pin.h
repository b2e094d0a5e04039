// A pin: what a payload must have on a machine that accepts only some. Signers follow each other as TUF's roots do: a
// payload by an accepted signer introduces the next one, which is accepted from then on; once a payload by that one is
// applied, those before it are not (The Update Framework, 5.3: the root role).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/pki/certificate.h"

namespace prov::payload {

struct Pin {
  // Each is accepted, in the order in which they were introduced. Empty: no signature is checked.
  std::vector<pki::Certificate> signers = {};
  std::string cluster = {};  // the one that a payload must be for; "": for any or none

  bool empty() const { return signers.empty() && cluster.empty(); }
};

// The pin with what was given instead. Naming its first signer again keeps those that it introduced.
Pin With(Pin pin, const Pin& given);

// After a payload was accepted that the signer with this SHA-256 signed, and that introduces `next`. What the signer
// introduced before is replaced. Does nothing if the signer is not accepted.
void Introduce(Pin& pin, std::string_view signer, const pki::Certificate& next);

// After a payload by the signer was applied: those before it are not accepted any more.
void Retire(Pin& pin, std::string_view signer);

// "payloads for the cluster prod that CN=… (SHA-256 …) signed", for messages.
std::string Describe(const Pin& pin);

// A JSON document (docs/state.md).
std::string PinJson(const Pin& pin);
// Errors: json, type, version; those of ReadSigner.
Result<Pin> ParsePin(std::string_view text, std::string_view where);

// Whether this may be the name of a cluster: 1 to 253 bytes of text without control characters.
bool IsClusterName(std::string_view name);

}  // namespace prov::payload
