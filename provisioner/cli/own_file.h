// Files that a command writes to a path from the command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::cli {

struct OwnFile {
  std::string_view kind;     // for messages: "user data", "a page"
  std::string_view option;   // the option that names the file
  std::uint64_t most_bytes;  // a larger file is not of this kind
  bool (*is_ours)(std::string_view bytes);
  // What the file is instead, "a page of provisioner explain"; "": nothing that is known.
  std::string (*other)(std::string_view bytes) = nullptr;
};

// Writes a file. Replaces only an empty file or an earlier one of this kind, so that a mistyped name can't destroy
// another file. Makes missing parents. `mode` as WriteFileAtomically() takes it. Errors: target, io.
Result<void> WriteOwnFile(const std::string& path, std::string_view bytes, unsigned mode, const OwnFile& file);

}  // namespace prov::cli
