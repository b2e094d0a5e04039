// Reading whole files and replacing them atomically. Paths are UTF-8.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov {

// Reads a file, or standard input for "-". Errors: too-large (more than `limit` bytes), not-found, io.
Result<std::string> ReadFile(const std::string& path, std::uint64_t limit);

// A function that reads a file: ReadFile, or one that first checks who could have written it.
using FileReader = std::function<Result<std::string>(const std::string& path, std::uint64_t limit)>;

// The mode of a new file or folder: `mode` without the bits in the umask. A mode without rights for group and others is
// for secrets, and is not changed. `mode` on a system without modes.
unsigned OutputMode(unsigned mode);

// Writes beside `path`, flushes, renames: after a crash, the file has the old or the new content, never a mixture.
// `mode` as OutputMode takes it (0600 for secrets); ignored on a system without modes.
Result<void> WriteFileAtomically(const std::string& path, std::string_view bytes, unsigned mode);

// Writes and flushes a file that must not exist yet, for a folder that is itself renamed into place when it is
// complete.
Result<void> WriteNewFile(const std::string& path, std::string_view bytes, unsigned mode);

// Flushes a folder, so that its entries are durable.
Result<void> FlushFolder(const std::string& folder);

}  // namespace prov
