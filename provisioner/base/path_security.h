// Whether a folder or file is safe for data that only administrators may see or change. The rules are pure functions of
// the security information, so that they are tested on every system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov {

struct PathFacts {
  bool reparse_point = false;
  std::string owner;  // a SID: "S-1-5-18" or, as in SDDL, "SY"
  std::string dacl;   // SDDL: "D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"; "" if there is none
  bool folder = false;
  bool on_share = false;  // owner and rights are what the share's server says, which proves nothing
};

// Whether a file may be on a share. kSigned is for bytes whose signature is checked before they are used.
enum class Shares { kRefused, kSigned };

// The error for a file on a share: owner, with a remedy.
std::unexpected<Error> RefuseShare(std::string_view where);

// What a path is used for, and so what others may do with it. kSecrets: nothing, not even read. kPrograms: read and
// execute. kFollowed: the same, for a file that SYSTEM acts on and the folder that it is in. kPassage: a folder above
// those. Others may add entries (C:\ and C:\ProgramData allow it), because an entry that they add belongs to them and
// is refused for that. They may not remove or rename its entries, nor the folder itself. kVolume: the same for a
// volume's root, which can't be removed or renamed.
enum class PathUse { kSecrets, kPrograms, kFollowed, kPassage, kVolume };

// The SID of an account that counts as an administrator: the one that runs this under Wine, which maps Unix owners and
// modes to descriptors; "" everywhere else.
std::string AccountForAdministrators();

// Why the owner and the rights are not those of `use`, such as "can be changed by Users (S-1-5-32-545)"; nullopt: they
// are. Trusts SYSTEM, Administrators, TrustedInstaller and `own_account` (a SID; "" for none), and nobody else. An
// entry that it does not understand is a reason, too.
std::optional<std::string> WhyUntrusted(const PathFacts& facts, PathUse use, std::string_view own_account = {});

// The same, and neither a link nor on a share. Errors: owner, with `where` and a remedy.
Result<void> CheckPathSecurity(const PathFacts& facts, PathUse use, std::string_view where,
                               std::string_view own_account = {});

// Reads a file, through links. On Windows, refuses one that others than administrators own or can change (kFollowed),
// and reads from the handle that was checked. Errors: owner; those of ReadFile.
Result<std::string> ReadTrustedFile(const std::string& path, std::uint64_t limit);

}  // namespace prov
