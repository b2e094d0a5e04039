// What the version resource of a Windows program says.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prov::machine {

struct ProgramVersion {
  std::array<std::uint16_t, 4> parts{};

  auto operator<=>(const ProgramVersion&) const = default;
  std::string Text() const;  // "0.1.0"; a fourth part only if it is not 0
};

// Reads the first version resource (VS_VERSIONINFO) in the bytes of a program. nullopt: it has none.
std::optional<ProgramVersion> ProgramVersionOf(std::string_view bytes);

// A text of the same resource, such as ProductName; "" if the program has none.
std::string ProgramTextOf(std::string_view bytes, std::string_view name);

}  // namespace prov::machine
