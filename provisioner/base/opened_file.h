// Reading what is open already. What was looked at is then what is read, whatever its name leads to by now.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/base/result.h"

namespace prov {

// A file descriptor, or a HANDLE as a number.
using NativeFile = std::intptr_t;

// All bytes from where it stands to its end, `limit` at most, else too-large. `where` is for messages. It stays open.
// Errors: too-large, io (a folder is no file).
Result<std::string> ReadOpened(NativeFile file, const std::string& where, std::uint64_t limit);

}  // namespace prov
