// Replaces parts that libarchive writes into images: the current time, the local time zone and its own version; local
// times in ZIP files; and another spelling of an image's label. Works on the finished bytes. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::images {

// Sets all times of an ISO 9660 image with Joliet and Rock Ridge and its label, and removes what identifies its writer.
// Errors: internal (not such an image).
Result<void> NormaliseIso(std::span<char> image, std::int64_t time_unix, std::string_view label);

// Sets the times of a ZIP file's entries. Errors: internal; size-limit (more entries than the plain format allows).
Result<void> NormaliseZip(std::span<char> archive, std::int64_t time_unix);

}  // namespace prov::images
