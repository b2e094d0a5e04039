// gzip (RFC 1952) as small as zlib makes it, the same bytes on every system.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace prov::userdata {

// The parts one behind the other. Each has blocks of its own: text and keys have little in common, and a block has one
// code for all that is in it.
std::string Gzip(std::span<const std::string_view> parts);

}  // namespace prov::userdata
