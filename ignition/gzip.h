// gzip (RFC 1952) in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::ignition {

// Whether `bytes` begin like a gzip stream (the two magic bytes).
bool LooksLikeGzip(std::string_view bytes);

// The decompressed bytes; several members follow each other. Truncated, damaged, not gzip or followed by something
// else: decompress; more than `limit` bytes: too-large, found as soon as the limit is crossed (a small bomb costs no
// memory). `where` goes into the error.
Result<std::string> Gunzip(std::string_view bytes, std::uint64_t limit, std::string_view where);

}  // namespace prov::ignition
