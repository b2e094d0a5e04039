// User data that somebody else made, taken apart so that our step can be put before it.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::userdata {

// A PowerShell script with what stood around it: nothing, or the tags of Amazon's launch agents.
struct ForeignUserData {
  std::string script;    // byte for byte
  bool tagged = false;   // in <powershell> and </powershell>
  bool persist = false;  // <persist>true</persist>
};

// Refuses what our step can't be added to without changing what it does: other forms, base64 text, Ignition configs,
// batch scripts, several scripts, a parameter block, text that is not ASCII, a step of ours that is there already.
// Errors: kind, with the reason.
Result<ForeignUserData> ReadForeignUserData(std::string_view bytes, std::string_view where);

// Whether the script lets somebody in by SSH, as the Windows Machine Config Operator's does.
bool SetsUpKeys(const ForeignUserData& user_data);

// Whether the script downloads by PowerShell or .NET, which follow WinINET's settings and no variables.
bool DownloadsByWeb(const ForeignUserData& user_data);

// Whether user data in plain text hold a step of ours.
bool IsOurs(std::string_view user_data);

// Whether `ours`, user data of ours in plain text, run exactly this script behind our step, and as often. Errors: kind
// (it has no step of ours, or nothing behind it).
Result<bool> RunsBehindOurs(std::string_view ours, const ForeignUserData& user_data, std::string_view where);

}  // namespace prov::userdata
