// Digests of byte strings (OpenSSL's EVP underneath). Results are raw bytes; ToHex() makes them readable.
#pragma once

#include <string>
#include <string_view>

namespace prov {

std::string Sha1(std::string_view bytes);    // 20 bytes: Windows thumbprints, never a security decision
std::string Sha256(std::string_view bytes);  // 32 bytes
std::string Sha512(std::string_view bytes);  // 64 bytes

}  // namespace prov
