// Reads a file that is already open, so that the bytes are those of the file that was checked, even if its name leads
// to another file by now.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/base/result.h"

namespace prov {

// A file descriptor, or a HANDLE as a number.
using NativeFile = std::intptr_t;

// Reads from the current position to the end. `where` is for messages. The file stays open. Errors: too-large (more
// than `limit` bytes), io (also for a folder).
Result<std::string> ReadOpened(NativeFile file, const std::string& where, std::uint64_t limit);

}  // namespace prov
