// Parses the user data of others, so that our step can be put before it.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::userdata {

// A PowerShell script without what enclosed it: nothing, or the tags of Amazon's launch agents.
struct ForeignUserData {
  std::string script;    // byte for byte
  bool persist = false;  // has <persist>true</persist>
  bool of_operators_secret = false;
};

// Parses user data that our step can be added to. Refuses those whose meaning this would change: other forms, base64
// text, Ignition configs, batch scripts, several scripts, a parameter block, text that is not ASCII, and user data that
// already have our step. Errors: kind, with the reason.
Result<ForeignUserData> ReadForeignUserData(std::string_view bytes, std::string_view where);

// Whether the script allows logins by SSH, as the script of the Windows Machine Config Operator does.
bool SetsUpKeys(const ForeignUserData& user_data);
// Whether the script is that operator's.
bool IsOperators(const ForeignUserData& user_data);

// Whether the script downloads with PowerShell or .NET, which use WinINET's settings and not the variables.
bool DownloadsByWeb(const ForeignUserData& user_data);

// Whether user data in plain text contain a step of ours.
bool IsOurs(std::string_view user_data);

// Whether `ours`, user data of ours in plain text, run exactly this script after our step, and equally often. Errors:
// kind (it has no step of ours, or nothing follows it).
Result<bool> RunsBehindOurs(std::string_view ours, const ForeignUserData& user_data, std::string_view where);

}  // namespace prov::userdata
