// The one form of CMS (RFC 5652, DER) in which a payload's signature is written and read: SignedData without the
// content, one signer identified by issuer and serial number, SHA-256 with RSA (PKCS#1 v1.5), no attributes. Nothing in
// it can vary, so the same key and content give the same bytes. There is no cryptography here: see payload_signature.h.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "provisioner/pki/certificate.h"

namespace prov::pki {

// The contents of a signature. Both are views of the bytes that were read.
struct CmsSignature {
  std::string_view signer;  // IssuerAndSerialNumber, whole
  std::string_view value;   // of the RSA signature
};

std::string EncodeCms(const CmsSignature& signature);

// Enclosed certificates and revocation lists are ignored: being enclosed does not make them trusted. The error says
// what does not fit the form, as the end of a sentence about the file.
std::expected<CmsSignature, std::string> ParseCms(std::string_view bytes);

// The identification of a certificate in a signature: its whole IssuerAndSerialNumber.
std::string IssuerAndSerial(const Certificate& certificate);

}  // namespace prov::pki
