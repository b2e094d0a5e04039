// gzip (RFC 1952) in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::ignition {

// Whether `bytes` begin with the two magic bytes of gzip.
bool LooksLikeGzip(std::string_view bytes);

// Decompresses one or several members. Errors, with `where`: decompress (truncated, damaged, not gzip, or followed by
// other bytes); too-large (more than `limit` bytes), found as soon as the limit is exceeded, so that a decompression
// bomb takes no memory.
Result<std::string> Gunzip(std::string_view bytes, std::uint64_t limit, std::string_view where);

}  // namespace prov::ignition
