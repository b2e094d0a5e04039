// The only form of CMS (RFC 5652, DER) for a payload's signature: SignedData without the content, one signer identified
// by issuer and serial number, SHA-256 with RSA (PKCS#1 v1.5), no attributes. Nothing in it can vary, so the same key
// and content give the same bytes. Without cryptography: see payload_signature.h.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "provisioner/pki/certificate.h"

namespace prov::pki {

// The contents of a signature. Both members are views of the parsed bytes.
struct CmsSignature {
  std::string_view signer;  // the complete IssuerAndSerialNumber
  std::string_view value;   // the RSA signature
};

std::string EncodeCms(const CmsSignature& signature);

// Ignores enclosed certificates and revocation lists: being enclosed does not make them trusted. The error is the end
// of a sentence about the file, and says what does not fit the form.
std::expected<CmsSignature, std::string> ParseCms(std::string_view bytes);

// The identification of a certificate in a signature: its complete IssuerAndSerialNumber.
std::string IssuerAndSerial(const Certificate& certificate);

}  // namespace prov::pki
