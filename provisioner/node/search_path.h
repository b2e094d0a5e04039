// The machine's search path: adds the program's folder, so that new shells find `provisioner`. The folder comes last,
// so that it hides no other program. Only administrators can write it (Installation), so other users can't put a
// program there for others to run. Removal takes out every entry for that folder, whoever added it, because the folder
// is gone.
//
// Writes the registry without plan, ledger and journal. It is one value, so a crash leaves the old or the new one, and
// the next run adds or removes the entry again. The ledger would have nothing to remember: others add entries to the
// same value, so removal goes by the folder's name, not by a value before.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provisioner/node/open_node.h"
#include "provisioner/reconcile/plan.h"

namespace prov::node {

// nullopt: `folder` is already an entry.
std::optional<std::string> WithFolder(std::string_view path, std::string_view folder);
// Removes each entry that names `folder`, and changes nothing else.
std::string WithoutFolder(std::string_view path, std::string_view folder);

// Adds the folder of the installed program. A search path that is missing, or that is not a text, is left as it is.
// Returns whether anything was written.
Result<bool> AddToSearchPath(OpenNode& node);
// The search path as reports list it. PlanSearchPath: what AddToSearchPath would do; nullopt: it can't add the folder.
reconcile::Change SearchPathChange(reconcile::Action action, std::string reason);
Result<std::optional<reconcile::Change>> PlanSearchPath(OpenNode& node);
// Whether RemoveFromSearchPath would remove an entry.
Result<bool> IsInSearchPath(OpenNode& node);
// Removes that entry; called when the program is removed.
Result<void> RemoveFromSearchPath(OpenNode& node);

}  // namespace prov::node
