// Digests of byte strings, by OpenSSL's EVP. Results are raw bytes; ToHex() makes them readable.
#pragma once

#include <string>
#include <string_view>

namespace prov {

std::string Sha1(std::string_view bytes);    // 20 bytes: for Windows thumbprints, never for a security decision
std::string Sha256(std::string_view bytes);  // 32 bytes
std::string Sha512(std::string_view bytes);  // 64 bytes

// PBKDF2 with HMAC-SHA-256, 32 bytes: makes each guess of `secret` slow.
std::string Pbkdf2Sha256(std::string_view secret, std::string_view salt, unsigned rounds);

}  // namespace prov
