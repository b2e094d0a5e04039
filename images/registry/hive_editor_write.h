// Writes edits: a copy of the hive with its records changed in place, and new ones in free cells or new bins behind it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "images/registry/hive_editor_changes.h"
#include "images/registry/hive_editor_tree.h"

namespace prov::images::regf {

// `file` is the hive that `tree` was made of. Gives every key that was made its offset.
std::string WriteChanges(std::string_view file, EditedTree& tree, const Changes& changes, std::uint64_t filetime);

}  // namespace prov::images::regf
