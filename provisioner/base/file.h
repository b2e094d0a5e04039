// Reading whole files and replacing them atomically. Paths are UTF-8.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov {

// All bytes of a file, or of standard input for "-". `limit` bytes at most, else too-large. Missing: not-found;
// unreadable: io.
Result<std::string> ReadFile(const std::string& path, std::uint64_t limit);

// A way to read a file: ReadFile, or one that first asks who could have written it.
using FileReader = std::function<Result<std::string>(const std::string& path, std::uint64_t limit)>;

// The mode of a new file or folder: `mode` less what the umask takes. One that leaves group and others no rights is for
// secrets and stays as it is. Where the system has no modes: `mode`.
unsigned OutputMode(unsigned mode);

// Writes beside `path`, flushes, renames: after a crash the old or the new content is there, never a mixture. `mode` as
// OutputMode takes it (0600 for secrets); ignored where the system has none.
Result<void> WriteFileAtomically(const std::string& path, std::string_view bytes, unsigned mode);

// Writes and flushes a file that must not exist yet, for a folder that is itself renamed into place when it is
// complete.
Result<void> WriteNewFile(const std::string& path, std::string_view bytes, unsigned mode);

// Makes the entries of a folder durable.
Result<void> FlushFolder(const std::string& folder);

}  // namespace prov
