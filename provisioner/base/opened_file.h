// Reads a file that is already open, so that the bytes are those of the file that was checked, even if its name leads
// to another file by now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "provisioner/base/result.h"

namespace prov {

// A file descriptor, or a HANDLE as a number.
using NativeFile = std::intptr_t;

// Reads from the current position to the end. `where` is for messages. The file stays open. Errors: too-large (more
// than `limit` bytes), io (also for a folder).
Result<std::string> ReadOpened(NativeFile file, const std::string& where, std::uint64_t limit);

// The size of a file on disk; 0 for anything else. Errors: io (also for a folder, if the system opens folders).
Result<std::uint64_t> SizeOfOpened(NativeFile file, const std::string& where);
// Reads at most `size` bytes to `to` and returns how many; 0 at the end. Errors: io.
Result<std::size_t> ReadSome(NativeFile file, char* to, std::size_t size, const std::string& where);

}  // namespace prov
