// Files that hold user data: a script, a Secret with one, or what this program made of either.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::cli {

// The user data in a file: all of it, or what is in it as `oc get secret -o yaml|json` prints a Secret, also in the
// UTF-16 of PowerShell's >. Errors: those of ReadFile; yaml, json; kind (another object, or a Secret without user
// data).
Result<std::string> ReadUserDataFile(const std::string& path);

// User data of ours as plain text: not compressed, not in base64, and of a cloud-config the script. What is none of
// ours comes back as it is.
std::string PlainUserData(std::string bytes);

// Whether these are user data that this program made, in any of its forms, or a Secret with it.
bool IsOurUserData(std::string_view bytes);

}  // namespace prov::cli
