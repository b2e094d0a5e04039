// X.509 certificates, parsed for lists and for choosing their store. Without cryptography: see signature.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::pki {

struct Certificate {
  std::string der;   // exact bytes
  std::string sha1;  // lower-case hex of the digest of `der`; sha1 is Windows' thumbprint
  std::string sha256;
  std::string subject;  // RFC 4514 text (see FormatDistinguishedName)
  std::string issuer;
  std::string subject_der;  // raw Name
  std::string issuer_der;
  std::string serial;  // lower-case hex of the magnitude, whole bytes; "00" for zero, "-2a" for a negative one (real
                       // roots have them)
  std::string not_before;  // UTC, "2026-01-01T00:00:00Z"
  std::string not_after;
  std::int64_t not_before_unix = 0;  // seconds since 1970
  std::int64_t not_after_unix = 0;
  int version = 1;           // 1..3
  bool is_ca = false;        // basicConstraints says cA TRUE; never for v1
  bool self_issued = false;  // subject and issuer are the same bytes
  // self_issued, and an authority key identifier, if present, is its own. Judged by the certificate's text, without
  // cryptography; VerifySelfSignature() proves it.
  bool self_signed = false;
  std::string key_algorithm;        // "rsa", "rsa-pss", "ec", "ed25519", "ed448", "dsa", or the dotted OID
  unsigned key_bits = 0;            // 0 if unknown; for EC, of the curve's order
  std::string key_curve;            // for EC, as PublicKeyInfo has it
  std::string signature_algorithm;  // OpenSSL's long names such as "sha256WithRSAEncryption", or the dotted OID
  bool weak_signature = false;      // signs a digest by MD2, MD4, MD5 or SHA-1
  bool rejected = false;            // rejected by the OpenSSL trust settings that came with it (trust_bundle.h)
  std::string source;               // the file or JSON path that a reader of sources found it in, else ""
};

// Parses one DER certificate; trailing bytes are an error. Errors: cert, with `where` as given and the damaged field in
// the message. Tolerates what real roots have: negative and zero serials, v1, times without seconds or with an offset,
// any string type in names, BOOLEAN TRUE other than FF. Stricter than OpenSSL's d2i_X509: only definite lengths in
// their shortest form, versions 1 to 3, valid dates, a readable RSA key, readable basicConstraints and key identifiers
// that are not repeated, and two equal signature algorithms.
Result<Certificate> ParseCertificate(std::string_view der, std::string_view where);

}  // namespace prov::pki
