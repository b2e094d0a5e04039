// Writing a payload as a folder: all of it or nothing.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/base/result.h"
#include "provisioner/payload/payload.h"

namespace prov::payload {

// Writes beside `path`, flushes, then renames. An earlier payload at `path` is replaced; anything else there but an
// empty folder is refused (target), so that no foreign file is lost. Missing parents are made. All times are
// `time_unix`, for reproducible archives.
Result<void> WritePayloadFolder(const Payload& payload, const std::string& path, std::int64_t time_unix);

}  // namespace prov::payload
