// The file that `bake --format userdata` writes.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::cli {

// Whether these are user data that this program made, in any of its forms, or a Secret with it.
bool IsOurUserData(std::string_view bytes);

// Replaces only what is empty or our user data: a mistyped name must not cost somebody's file. Missing parents are
// made. `secret`: mode 0600. Errors: target, io.
Result<void> WriteUserData(const std::string& path, std::string_view bytes, bool secret);

}  // namespace prov::cli
