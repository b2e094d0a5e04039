// Writing a payload as a folder: all of it or nothing.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/base/clock.h"
#include "provisioner/base/result.h"
#include "provisioner/payload/payload.h"

namespace prov::payload {

// Writes under a temporary name beside `path`, flushes, then renames. An earlier payload at `path` is replaced.
// Anything else there except an empty folder is refused (target), so that no foreign file is lost. Missing parents are
// made. All times are `time_unix`, for reproducible archives. `may_go_on` is called before each file.
Result<void> WritePayloadFolder(const Payload& payload, const std::string& path, std::int64_t time_unix,
                                const MayGoOn& may_go_on = {});

}  // namespace prov::payload
