// What a set of edits does to the records of the file. Worked out from the edits before anything is written, and what
// the result is held against afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "images/registry/hive_editor_tree.h"

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

}  // namespace prov::images::regf
