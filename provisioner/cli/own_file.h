// Files that a command writes where it is told to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::cli {

struct OwnFile {
  std::string_view kind;     // for messages: "user data", "a page"
  std::string_view option;   // that names the file
  std::uint64_t most_bytes;  // a larger file is not of this kind
  bool (*is_ours)(std::string_view bytes);
};

// Replaces only what is empty or an earlier file of this kind: a mistyped name must not cost somebody's file. Missing
// parents are made. `mode` as WriteFileAtomically() takes it. Errors: target, io.
Result<void> WriteOwnFile(const std::string& path, std::string_view bytes, unsigned mode, const OwnFile& file);

}  // namespace prov::cli
