// Reads registry hive files (regf 1.3 to 1.6) as Windows writes them. Trusts nothing in a file: every offset must be
// the start of a cell in use, and every cell is read once (except security cells), so time and memory are linear in the
// file's size.
#pragma once

#include <string_view>

#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"

namespace prov::images {

// The tree in a hive. The root's name is "". `security` is set if it differs from the parent's (always for the root);
// WriteHive of the result gives a hive with the same content. Drops class names, timestamps, volatile and symbolic-link
// flags. Names that are not well-formed UTF-16 become generalised UTF-8, which WriteHive accepts (an unpaired surrogate
// as three bytes). A value above 16,344 bytes in one plain cell instead of a db record is read as intended (libhivex
// writes those; Windows can't read them). Wrong lookup hashes, order or reference counts are ignored (CheckHive checks
// them). Errors: dirty-hive (not closed cleanly: the newest changes are in the log files), hive (damaged, a log file or
// an unknown version); `where` is the offset in the file.
Result<RegKey> ReadHive(std::string_view bytes);

}  // namespace prov::images
