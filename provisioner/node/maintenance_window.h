// Maintenance windows: when a node may restart by itself.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::node {

// Times of the week, in UTC.
struct MaintenanceWindow {
  std::array<bool, 7> days = {true, true, true, true, true, true, true};  // days on which it begins; Sunday first
  std::int64_t begin = 0;                                                 // seconds of the day
  std::int64_t length = 86400;                                            // seconds, at most a day

  std::string text;  // that was parsed

  bool Contains(std::int64_t unix_seconds) const;

  bool operator==(const MaintenanceWindow&) const = default;
};

// "22:00-04:00" each day, "Sat,Sun 01:00-05:00", "Mon-Fri 02:30-03:30". The days are those on which it begins; equal
// times are a whole day. Errors: usage, with `where`.
Result<MaintenanceWindow> ParseMaintenanceWindow(std::string_view text, std::string_view where);

}  // namespace prov::node
