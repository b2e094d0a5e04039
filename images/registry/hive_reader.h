// Reads registry hive files (regf 1.3 to 1.6) as Windows writes them. Nothing in a file is trusted: every offset must
// be the start of a cell in use, and every cell is read once (security cells excepted), so time and memory are linear
// in the file's size.
#pragma once

#include <string_view>

#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"

namespace prov::images {

// The tree in a hive. The root's name is "". `security` is filled where it differs from the parent's (always on the
// root); WriteHive of the result gives a hive with the same content. Class names, timestamps, volatile and
// symbolic-link flags are not kept. Names that are no well-formed UTF-16 come out in the generalised UTF-8 that
// WriteHive takes back (an unpaired surrogate as three bytes). A value above 16,344 bytes in one plain cell instead of
// a db record (libhivex writes those; Windows can't read them) is read as what was meant; wrong lookup hashes, order or
// reference counts are not looked at (CheckHive does). Errors: dirty-hive (not closed cleanly: the newest changes are
// in the log files), hive (damaged, a log file or an unknown version); `where` is the offset in the file.
Result<RegKey> ReadHive(std::string_view bytes);

}  // namespace prov::images
