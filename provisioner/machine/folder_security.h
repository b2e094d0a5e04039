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

// Whether a self-relative descriptor of a file lets everybody, or every user, read it, and forbids it nobody. False for
// a malformed one.
bool EverybodyReads(std::string_view descriptor);

}  // namespace prov::machine
