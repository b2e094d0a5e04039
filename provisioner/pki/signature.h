// Proof that a certificate was signed by its own key.
#pragma once

#include "provisioner/base/result.h"
#include "provisioner/pki/certificate.h"

namespace prov::pki {

// Verifies the certificate's signature with the key in it (OpenSSL). Code::kCert if it doesn't verify, or can't be
// checked because the key or the algorithm is unknown to OpenSSL or switched off in it; the message tells which. No
// validity, purpose or security level applies, so old roots with SHA-1 pass: a root is trusted for being in the store,
// not for its signature.
Result<void> VerifySelfSignature(const Certificate& certificate);

}  // namespace prov::pki
