// Checks of a tree before it is changed.
#pragma once

#include <cstdint>
#include <string>

#include "images/tree/image_tree.h"
#include "provisioner/base/result.h"

namespace prov::images {

// Checks that a tree was opened for writing: otherwise it holds no lock. Errors: internal.
Result<void> CheckAccess(TreeAccess access, const std::string& where);

// Checks that the volume has enough free bytes. Errors: target.
Result<void> CheckSpace(std::uint64_t needed, std::uint64_t there, const std::string& where);

// Checks that the tree has Windows/System32/config. Errors: target; those of the tree.
Result<void> RequireWindows(ImageTree& tree);

// Whether this Windows is hibernated (or was shut down with fast startup): its registry is then in hiberfil.sys, and
// the hives are outdated. Errors: those of the tree.
Result<bool> IsHibernated(ImageTree& tree);

// Refuses a hibernated Windows, which would overwrite our changes on resuming. Errors: dirty-hive; those of the tree.
Result<void> RefuseHibernated(ImageTree& tree);

}  // namespace prov::images
