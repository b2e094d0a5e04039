// Base64 (RFC 4648 section 4, standard alphabet), strict.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace prov {

std::string EncodeBase64(std::string_view bytes);

// Padding is required and only allowed at the end; non-zero trailing bits are tolerated (as Go's StdEncoding does); no
// blanks. The error is the offset of the first offending byte.
std::expected<std::string, std::size_t> DecodeBase64(std::string_view text);

}  // namespace prov
