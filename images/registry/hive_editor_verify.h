// Reads a changed hive back, with the reader's code, and compares it with the file it was made from and with the edits.
#pragma once

#include <string_view>

#include "images/registry/hive_editor_changes.h"
#include "images/registry/hive_editor_tree.h"
#include "provisioner/base/result.h"

namespace prov::images::regf {

// Whether bins and cells of `result` fill their space, every byte of `file` outside of its free cells and of the
// records that `changes` names is the same, every cell that stays is one still, every key that changed reads as meant,
// and every other cell in use belongs to one of these. Errors: internal.
Result<void> VerifyChanges(std::string_view file, std::string_view result, EditedTree& tree, const Changes& changes);

}  // namespace prov::images::regf
