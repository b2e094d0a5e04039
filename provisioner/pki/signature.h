// Proof that a certificate was signed by its own key.
#pragma once

#include "provisioner/base/result.h"
#include "provisioner/pki/certificate.h"

namespace prov::pki {

// Verifies the certificate's signature with its own key (OpenSSL). Errors: cert if it doesn't verify, or can't be
// checked because OpenSSL does not know the key or the algorithm, or has it disabled; the message says which. Does not
// check validity, purpose and security level, so old roots with SHA-1 pass: a root is trusted because it is in the
// store, not because of its signature.
Result<void> VerifySelfSignature(const Certificate& certificate);

}  // namespace prov::pki
