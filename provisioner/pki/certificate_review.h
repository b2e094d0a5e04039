// The findings about certificates themselves, whatever they are used for.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/pki/certificate.h"

namespace prov::pki {

// Findings about certificates at a time (seconds since 1970): `cert-expired`, `cert-not-yet-valid`, `cert-expires-soon`
// (within 30 days), `cert-weak-key` (RSA and DSA below 2048 bits or any DSA, EC below 224), `cert-weak-signature` (MD2,
// MD4, MD5 or SHA-1), `cert-not-ca`, `cert-algorithm` (Windows' verifier may not know it; info where it does and others
// may not), `cert-duplicate` (info). In the order of the certificates; `where` as given.
Findings ReviewCertificates(std::span<const Certificate> certificates, std::int64_t now_unix, std::string_view where);

}  // namespace prov::pki
