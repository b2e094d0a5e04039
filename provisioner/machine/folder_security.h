// Checks whether a folder or file that an image already had is safe for data that only administrators may see or
// change.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/path_security.h"

namespace prov::machine {

// CheckPathSecurity() for an image; `descriptor` is self-relative. The captured machine had users, and every user can
// make a folder below ProgramData. Errors: owner, with `where` and a remedy.
Result<void> CheckImageSecurity(const std::optional<std::string>& descriptor, PathUse use, std::string_view where,
                                std::string_view own_account = {});

}  // namespace prov::machine
