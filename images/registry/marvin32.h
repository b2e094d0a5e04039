// Marvin32, the hash that protects the entries of transaction logs. It keeps nothing secret: it tells a whole entry
// from one whose writing was cut off.
#pragma once

#include <cstdint>
#include <string_view>

namespace prov::images::regf {

inline constexpr std::uint64_t kLogSeed = 0x82EF4D887A4E55C5;  // of every Windows

std::uint64_t Marvin32(std::string_view bytes, std::uint64_t seed = kLogSeed);

}  // namespace prov::images::regf
