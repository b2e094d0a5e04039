// What a tree must be before it is changed.
#pragma once

#include "images/tree/image_tree.h"
#include "provisioner/base/result.h"

namespace prov::images {

// There is a Windows/System32/config. Errors: target; those of the tree.
Result<void> RequireWindows(ImageTree& tree);

// A hibernated Windows (or one with fast startup) keeps its registry in memory that hiberfil.sys holds: it would write
// over what is changed now. Errors: dirty-hive; those of the tree.
Result<void> RefuseHibernated(ImageTree& tree);

}  // namespace prov::images
