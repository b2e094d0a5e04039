// Base64 (RFC 4648 section 4, standard alphabet), strict.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace prov {

std::string EncodeBase64(std::string_view bytes);

// Requires padding, which is only allowed at the end. Tolerates non-zero trailing bits, as Go's StdEncoding does.
// Accepts no blanks. The error is the offset of the first invalid byte.
std::expected<std::string, std::size_t> DecodeBase64(std::string_view text);

}  // namespace prov
