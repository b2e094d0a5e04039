// The Secret of a cluster that passes user data to a machine.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/userdata/user_data.h"

namespace prov::userdata {

// The Secret of the Windows Machine Config Operator.
inline constexpr std::string_view kOperatorsSecret = "windows-user-data";

// Errors: reserved-name (the operator's own Secret); usage (no name for a Secret).
Result<void> CheckSecretName(std::string_view name);

// Errors: usage, for a platform on which no component passes a Secret of this form to a Windows machine.
Result<void> CheckSecretPlatform(SecretForm form, Platform platform);

// The keys of the Secret and their bytes. Errors: size-limit.
Result<std::map<std::string, std::string>> UserDataSecretKeys(std::string_view name, const UserData& data,
                                                              const UserDataOptions& options = {});

// The Secret as a manifest. A MachineSet refers to it as userDataSecret, a Machine of the Cluster API as
// dataSecretName. Errors: those of CheckSecretName; size-limit.
Result<std::string> UserDataSecret(std::string_view name, const UserData& data, const UserDataOptions& options = {});

}  // namespace prov::userdata
