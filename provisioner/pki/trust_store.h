// Chooses the Windows certificate store of a certificate, and the certificates that are not imported.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/pki/certificate.h"

namespace prov::pki {

enum class Store { kRoot, kCa, kNone };

// "ROOT", "CA" (the names of the system stores), "none".
std::string_view NameOf(Store store);

// SHA-256 (lower-case hex) of certificates that are imported in any case.
using TrustedDigests = std::set<std::string, std::less<>>;

// Converts a certificate's SHA-256 as users write it, 64 hexadecimal digits with or without colons, to lower-case hex;
// nullopt if the text is not such a digest.
std::optional<std::string> ParseCertificateDigest(std::string_view text);

// Self-signed (Certificate::self_signed): ROOT. ROOT must hold nothing else (Microsoft KB 2795828). Other CAs: CA.
// Other certificates: kNone, or CA if they are `trusted`; there they help to build chains but are not trusted by
// themselves. kNone also for certificates with a reason in WhyUntrusted().
Store StoreFor(const Certificate& certificate, const TrustedDigests& trusted);

// Why a certificate that the other rules import is left out, as a clause: its own trust settings reject it, its key is
// weak (IsWeakKey), it is no root and its signature is weak, or it is no CA and would be in ROOT. "": none of these, or
// it is `trusted`.
std::string WhyUntrusted(const Certificate& certificate, const TrustedDigests& trusted);

// Findings about StoreFor's choices, in the order of the certificates: `self-signed-leaf` (warning), `leaf-skipped`
// (warning), `leaf-imported` (info).
Findings ReviewStores(std::span<const Certificate> certificates, const TrustedDigests& trusted, std::string_view where);

// Findings about WhyUntrusted(): `untrusted` (warning; at most 20, then one that counts the rest), with the digest for
// --trust; `trust-unused` (info) for a digest that no certificate has. Last, if none of the certificates would be
// imported, `untrusted` as an error, so that the bundle is not mistaken for an empty one.
Findings ReviewTrust(std::span<const Certificate> certificates, const TrustedDigests& trusted, std::string_view where);

}  // namespace prov::pki
