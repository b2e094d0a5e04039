// Reads the environment of another process from its memory. Windows only, except for parsing the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::machine {

// Windows allows 32,767 units for one variable and sets no limit for all of them; real blocks have a few KiB.
inline constexpr std::size_t kMostEnvironmentBytes = std::size_t{1} << 20U;

// The "NAME=value" entries in UTF-8, in the block's order. `bytes`: UTF-16LE strings, each ended by a NUL unit; an
// empty string ends the block, and what follows is ignored. Leaves out the shells' "=C:=C:\folder", which are no
// variables. An unpaired surrogate becomes U+FFFD. Errors: io (the block doesn't end within `bytes`).
Result<std::vector<std::string>> ParseEnvironmentBlock(std::string_view bytes);

// Services::EnvironmentOf. Only for *_win32.cc.
Result<std::vector<std::string>> ReadProcessEnvironment(std::uint32_t process_id);

}  // namespace prov::machine
