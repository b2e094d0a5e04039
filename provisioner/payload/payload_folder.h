// Writes a payload as a folder, completely or not at all.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/base/clock.h"
#include "provisioner/base/result.h"
#include "provisioner/payload/payload.h"

namespace prov::payload {

// Writes under a temporary name beside `path`, flushes, then renames. Replaces an earlier payload at `path`. Anything
// else there except an empty folder is refused (target), so that no other files are lost. Makes missing parents. Sets
// all times to `time_unix`, for reproducible archives. Calls `stop_check` before each file.
Result<void> WritePayloadFolder(const Payload& payload, const std::string& path, std::int64_t time_unix,
                                const StopCheck& stop_check = {});

// Checks that an existing folder is empty or an earlier payload. Errors: target; those of ListTree.
Result<void> CheckReplaceablePayload(const std::string& folder);

// The same for a folder that NodePayloads::WriteTree() filled.
Result<void> CheckReplaceableNodes(const std::string& folder);

}  // namespace prov::payload
