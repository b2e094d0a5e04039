// Checks the structure of a hive more strictly than the reader: also what Windows relies on and readers ignore.
#pragma once

#include <string_view>

#include "provisioner/base/result.h"

namespace prov::images {

struct HiveCheckOptions {
  bool allow_unreachable =
      false;  // unreferenced cells in use: harmless, and common in hives that Windows has used for long
};

// Returns the first fault: base block, bins filled exactly by cells, every cell in use reached exactly once, parents,
// names sorted by their upper case and unique, lookup hashes and hints, maxima stored in keys, data above 16,344 bytes
// in db records, and the ring and reference counts of the security cells. Errors: hive, or dirty-hive; `where` is the
// offset in the file.
Result<void> CheckHive(std::string_view bytes, HiveCheckOptions options = {});

}  // namespace prov::images
