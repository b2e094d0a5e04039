// Checks whether a folder or file is safe for data that only administrators may see or change. A pure function of the
// security information, so that it is tested on every system.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::machine {

struct PathFacts {
  bool reparse_point = false;
  std::string owner;  // a SID: "S-1-5-18" or, as in SDDL, "SY"
  std::string dacl;   // SDDL: "D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"; "" if there is none
  bool folder = false;
};

// What a path is used for, and so what others may do with it. kSecrets: nothing, not even read. kPrograms: read and
// execute. kFollowed: the same, for a file that SYSTEM acts on and the folder that it is in. kPassage: a folder above
// those. Others may add entries (C:\ and C:\ProgramData allow it), because an entry that they add belongs to them and
// is refused for that. They may not remove or rename its entries, nor the folder itself. kVolume: the same for a
// volume's root, which can't be removed or renamed.
enum class PathUse { kSecrets, kPrograms, kFollowed, kPassage, kVolume };

// The SID of an account that counts as an administrator: the one that runs this under Wine, which maps Unix owners and
// modes to descriptors; "" everywhere else.
std::string AccountForAdministrators();

// Trusts SYSTEM, Administrators, TrustedInstaller and `own_account` (a SID; "" for none). Refuses everything else,
// including entries that it does not understand. Errors: owner, with `where` and a remedy.
Result<void> CheckPathSecurity(const PathFacts& facts, PathUse use, std::string_view where,
                               std::string_view own_account = {});

// CheckPathSecurity() for a file or folder that an image already had; `descriptor` is self-relative. The captured
// machine had users, and every user can make a folder below ProgramData. Errors: owner, with `where` and a remedy.
Result<void> CheckImageSecurity(const std::optional<std::string>& descriptor, PathUse use, std::string_view where,
                                std::string_view own_account = {});

}  // namespace prov::machine
