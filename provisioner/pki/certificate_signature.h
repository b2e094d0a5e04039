// With which algorithm a certificate is signed, and whether such a signature can be forged.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prov::pki {

struct SignatureAlgorithm {
  std::string name;   // OpenSSL's long names such as "sha256WithRSAEncryption", or the dotted OID
  bool weak = false;  // it signs a digest by MD2, MD4, MD5 or SHA-1
};

// Content of an AlgorithmIdentifier. nullopt when its OID is malformed. RSASSA-PSS is weak unless its parameters name
// another hash: without them it is SHA-1 (RFC 4055, 3.1).
std::optional<SignatureAlgorithm> ParseSignatureAlgorithm(std::string_view identifier);

}  // namespace prov::pki
