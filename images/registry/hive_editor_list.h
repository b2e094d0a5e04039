// The list of a key's subkeys after edits.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "images/registry/hive_cell_writer.h"
#include "images/registry/hive_editor_tree.h"

namespace prov::images::regf {

struct EditedList {
  std::string_view kind;           // "lf", "lh" or "li"
  std::vector<ListedKey> entries;  // in their order
};

// The entries of the file stay as they are, in the order that they have, and new ones come where the order puts them:
// that of Windows 8 and later, or of Vista if the list has only that one. A list that has neither, which Windows can't
// search, is sorted anew with new hints. Its kind stays if hives of this version have it. New keys must have an offset.
EditedList ListSubkeys(const KeyContent& content, std::uint32_t minor);

// The same keys, in that order.
std::vector<const EditedKey*> OrderSubkeys(const KeyContent& content);

}  // namespace prov::images::regf
