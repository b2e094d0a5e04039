// The kind of a certificate's key, and its strength.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prov::pki {

// The content octets of id-RSASSA-PSS, which is both a kind of key and a kind of signature (RFC 4055).
inline constexpr std::string_view kRsaPssOid{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0A", 9};

struct PublicKeyInfo {
  std::string algorithm;   // "rsa", "rsa-pss", "ec", "ed25519", "ed448", "dsa", or the dotted OID
  unsigned bits = 0;       // of the modulus, of the curve's order, of DSA's p; 0 if unknown
  std::string curve = {};  // of "ec": OpenSSL's name, or the dotted OID; "" for explicit parameters
};

// Parses the content of a SubjectPublicKeyInfo. nullopt if it is malformed, or if an RSA modulus can't be read. With
// unknown curves and parameters, `bits` stays 0.
std::optional<PublicKeyInfo> ParsePublicKeyInfo(std::string_view content);

// Whether a key has less than 112 bits of security, which OpenSSL's level 2 refuses: RSA and DSA below 2048 bits, EC
// below 224. A key of unknown kind or curve is not weak; a DSA key of unknown size is.
bool IsWeakKey(std::string_view algorithm, unsigned bits);
// The smallest size that is not weak; 0 if none is known.
unsigned LeastKeyBits(std::string_view algorithm);

}  // namespace prov::pki
