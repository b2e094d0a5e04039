// The one form of CMS (RFC 5652, DER) in which a payload's signature is written and read: SignedData without the
// content, one signer who is named by issuer and serial number, SHA-256 with RSA (PKCS#1 v1.5), no attributes. With
// nothing in it that could differ, the same key and content give the same bytes. No cryptography happens here: see
// payload_signature.h.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "provisioner/pki/certificate.h"

namespace prov::pki {

// What a signature says of itself. Both live as long as the bytes that were read.
struct CmsSignature {
  std::string_view signer;  // IssuerAndSerialNumber, whole
  std::string_view value;   // of the RSA signature
};

std::string EncodeCms(const CmsSignature& signature);

// Certificates and revocation lists that are enclosed are passed over: nothing is believed for being there. The error
// says what does not fit the form, as the end of a sentence about the file.
std::expected<CmsSignature, std::string> ParseCms(std::string_view bytes);

// How a certificate is named in a signature: the IssuerAndSerialNumber of it, whole.
std::string IssuerAndSerial(const Certificate& certificate);

}  // namespace prov::pki
