// Reads the environment of another process from its memory. On Windows only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::machine {

// Windows allows 32,767 units for one variable and sets no limit for all of them; real blocks have a few KiB.
inline constexpr std::size_t kMostEnvironmentBytes = std::size_t{1} << 20U;

// The "NAME=value" entries in UTF-8, in the block's order. A NUL ends each string; an empty string ends the block, and
// what follows is ignored. Leaves out the shells' "=C:=C:\folder", which are no variables. An unpaired surrogate
// becomes U+FFFD. Errors: io (the block doesn't end here).
Result<std::vector<std::string>> ParseEnvironmentBlock(std::wstring_view block);

// Services::EnvironmentOf.
Result<std::vector<std::string>> ReadProcessEnvironment(std::uint32_t process_id);

}  // namespace prov::machine
