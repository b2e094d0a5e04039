// Files with user data: a script, a Secret that contains one, or what this program made from either.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::userdata {

// More than any platform accepts, even in a Secret.
inline constexpr std::uint64_t kMostUserDataBytes = 4ULL << 20U;

struct UserDataFile {
  std::string bytes;
  std::string secret = {};  // name of the Secret that they are from; "": none
};

// The user data in a file: the whole file, or the user data of a Secret as `oc get secret -o yaml|json` prints it, also
// in a List of Secrets and in the UTF-16 that PowerShell's > writes. Errors: those of ReadFile; yaml, json; kind
// (another object, or a Secret without user data); not-found (several with user data).
Result<UserDataFile> ReadUserDataFile(const std::string& path);

// Our user data as plain text: decompressed and decoded. Other user data is returned unchanged.
std::string PlainUserData(const std::string& bytes);

// Whether this program made the user data, in any form, or a Secret with it.
bool IsOurUserData(std::string_view bytes);

// The container (user_data_container.h) in user data of ours, in each form that `bake` writes, also in a Secret or a
// List of them; `name` says which Secret of several. nullopt for anything else. Errors: invalid-config (damaged data);
// not-found (several with user data).
Result<std::optional<std::string>> ContainerIn(const std::string& bytes, const std::string& where,
                                               std::string_view name = {});

}  // namespace prov::userdata
