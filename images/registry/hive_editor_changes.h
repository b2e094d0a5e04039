// The effect of edits on the records of the file. It is computed before anything is written, then written, then used to
// verify the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "images/registry/hive_editor_tree.h"
#include "provisioner/base/result.h"

namespace prov::images::regf {

struct Changes {
  std::vector<EditedKey*> updated;   // keys of the file whose record changes, parents before their subkeys
  std::vector<EditedKey*> made;      // parents before their subkeys
  std::vector<std::uint32_t> freed;  // cells of the file
  std::vector<std::size_t> ring;     // security descriptors afterwards (SecurityTable::NewRing)
  std::size_t new_bytes = 0;         // approximate size of the new cells

  bool IsEmpty() const { return updated.empty(); }
};

// Errors: hive (SecurityTable::NewRing), size-limit.
Result<Changes> FindChanges(EditedTree& tree);
// Whether FindChanges would find a change.
bool HasChanges(const EditedKey& key);

// A copy of the hive with its records changed in place, and new records in free cells or in new bins at the end. `file`
// must be the one that `tree` was made from. Sets the offset of every new key.
std::string WriteChanges(std::string_view file, EditedTree& tree, const Changes& changes, std::uint64_t filetime);

// Verifies the result: bins and cells fill their space; every byte of `file` outside of its free cells and of the
// records in `changes` is the same; every remaining cell is still a cell; every changed key reads as intended; and
// every other cell in use belongs to one of these. Errors: internal.
Result<void> VerifyChanges(std::string_view file, std::string_view result, EditedTree& tree, const Changes& changes);

}  // namespace prov::images::regf
