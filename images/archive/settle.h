// libarchive writes the current time, the local time zone and its own version into images, local times into ZIP files,
// and an image's label in another spelling. These functions replace them in the finished bytes by what was asked for.
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::images {

// All times of an ISO 9660 image with Joliet and Rock Ridge, its label, and no trace of what wrote it. Errors: internal
// (it is none).
Result<void> SettleIso(std::span<char> image, std::int64_t time_unix, std::string_view label);

// The times of a ZIP file's entries. Errors: internal; size-limit (more entries than the plain format has).
Result<void> SettleZip(std::span<char> archive, std::int64_t time_unix);

// A point in time as calendar fields, in UTC.
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
