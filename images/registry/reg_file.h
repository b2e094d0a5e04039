// Registration files (.reg, version 5) as regedit writes them: provisioner/docs/formats/reg-file.md.
#pragma once

#include <string>
#include <string_view>

#include "images/registry/registry_key.h"

namespace prov::images {

// The text of a .reg file that creates `tree` below `root_path` ("HKEY_LOCAL_MACHINE", or a deeper key): UTF-16LE with
// BOM, CRLF, hex data wrapped at 80 columns. Writes keys with values, and keys with neither values nor subkeys; other
// keys arise as parents. Strings that are not a single clean NUL-terminated text are written as hex, so data survives
// byte for byte. The format can't express control characters in names: such a value or key (with its subkeys) is left
// out, and a comment line says so. `comment`: lines of text for people, each ending in "\n", above the first key.
std::string WriteRegFile(const RegKey& tree, std::string_view root_path, std::string_view comment = {});

}  // namespace prov::images
