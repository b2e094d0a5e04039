// Which MachineConfig of several is the one a pool runs.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prov::ignition {

// The pool in a name rendered-<pool>-<32 lower-case hex digits>; nullopt for other names.
std::optional<std::string_view> PoolOfRenderedName(std::string_view name);

// A point in time, comparable.
struct Timestamp {
  std::int64_t seconds = 0;  // since 1970, UTC
  std::string fraction;      // decimal digits without trailing zeros

  auto operator<=>(const Timestamp&) const = default;
};

// RFC 3339, such as 2026-01-15T10:20:30Z, with any offset; nullopt if malformed.
std::optional<Timestamp> ParseTimestamp(std::string_view text);

}  // namespace prov::ignition
