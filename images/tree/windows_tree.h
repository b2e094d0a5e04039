// Checks of a tree before it is changed.
#pragma once

#include "images/tree/image_tree.h"
#include "provisioner/base/result.h"

namespace prov::images {

// There is a Windows/System32/config. Errors: target; those of the tree.
Result<void> RequireWindows(ImageTree& tree);

// Whether this Windows is hibernated (or was shut down with fast startup): its registry is in memory that hiberfil.sys
// holds, and the hives are old. Errors: those of the tree.
Result<bool> IsHibernated(ImageTree& tree);

// Refuses a hibernated Windows, which would overwrite our changes when it resumes. Errors: dirty-hive; those of the
// tree.
Result<void> RefuseHibernated(ImageTree& tree);

}  // namespace prov::images
