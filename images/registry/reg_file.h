// Registration files (.reg, version 5) as regedit writes and reads them: provisioner/docs/formats/reg-file.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"

namespace prov::images {

// The text of a .reg file that creates `tree` below `root_path` ("HKEY_LOCAL_MACHINE", or a deeper key): UTF-16LE with
// BOM, CRLF, hex data wrapped at 80 columns. Writes keys with values, and keys with neither values nor subkeys; other
// keys arise as parents. Strings that are not a single clean NUL-terminated text are written as hex, so data survives
// byte for byte. The format can't express control characters in names: such a value or key (with its subkeys) is left
// out, and a comment line says so. `comment`: lines of text for people, each ending in "\n", above the first key.
std::string WriteRegFile(const RegKey& tree, std::string_view root_path, std::string_view comment = {});

struct RegFileValue {
  RegValue value;
  bool remove = false;  // "name"=-

  bool operator==(const RegFileValue&) const = default;
};

// One [key] section, in file order.
struct RegFileEntry {
  std::string key;                   // as written, "HKEY_LOCAL_MACHINE\..."
  bool remove = false;               // [-key]: the whole tree
  std::vector<RegFileValue> values;  // in file order

  bool operator==(const RegFileEntry&) const = default;
};

// Reads a version 5 file: UTF-16LE with BOM, or UTF-8 with or without. Strict: what regedit would skip silently is an
// error. Errors: invalid-config; `where` is "line N".
Result<std::vector<RegFileEntry>> ReadRegFile(std::string_view bytes);

}  // namespace prov::images
