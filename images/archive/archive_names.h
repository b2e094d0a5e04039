// What a format can hold: names, labels, times. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::images {

// Errors: size-limit (Joliet would cut the name off, or has no such character).
Result<void> CheckJolietPath(std::string_view path);

// A moment as calendars have it, in UTC.
struct UtcTime {
  int year = 1970;
  int month = 1;
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
};
UtcTime ToUtc(std::int64_t time_unix);

}  // namespace prov::images
