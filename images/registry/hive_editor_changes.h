// What a set of edits does to the records of the file: worked out before anything is written, written, and what the
// result is held against afterwards.
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
  std::vector<EditedKey*> updated;   // keys of the file whose record changes; parents before their subkeys
  std::vector<EditedKey*> made;      // parents before their subkeys
  std::vector<std::uint32_t> freed;  // cells of the file
  std::vector<std::size_t> ring;     // of security descriptors afterwards (SecurityTable::NewRing)
  std::size_t new_bytes = 0;         // about what new cells need

  bool IsEmpty() const { return updated.empty(); }
};

// Error: hive (SecurityTable::NewRing), size-limit.
Result<Changes> FindChanges(EditedTree& tree);
// Whether FindChanges would find one.
bool HasChanges(const EditedKey& key);

// A copy of the hive with its records changed in place, and new ones in free cells or new bins behind it. `file` is
// what `tree` was made of. Gives every key that was made its offset.
std::string WriteChanges(std::string_view file, EditedTree& tree, const Changes& changes, std::uint64_t filetime);

// Whether bins and cells of `result` fill their space, every byte of `file` outside of its free cells and of the
// records that `changes` names is the same, every cell that stays is one still, every key that changed reads as meant,
// and every other cell in use belongs to one of these. Errors: internal.
Result<void> VerifyChanges(std::string_view file, std::string_view result, EditedTree& tree, const Changes& changes);

}  // namespace prov::images::regf
