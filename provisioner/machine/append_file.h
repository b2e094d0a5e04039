// Appending to a small file that only this program writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::machine {

// Appends to the file, which is made for administrators alone where it is missing. False, and nothing written, when it
// would grow beyond `limit` bytes by that. Never through a link, and never to anything but a plain file. Paths are
// UTF-8. Errors: owner, io.
Result<bool> AppendWithin(const std::string& path, std::string_view bytes, std::uint64_t limit);

// `to` is replaced. Errors: io.
Result<void> RenameFile(const std::string& from, const std::string& to);

}  // namespace prov::machine
