// May a folder or file hold what only administrators may see or change? A pure function of what Windows says of it, so
// that it is tested everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::machine {

struct PathFacts {
  bool reparse_point = false;
  std::string owner;  // a SID: "S-1-5-18" or, as in SDDL, "SY"
  std::string dacl;   // SDDL: "D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"; "" where there is none
  bool folder = false;
};

// kSecrets: nobody else may even read. kPrograms: others may read and execute, and change nothing. kFollowed: the same,
// of a file that SYSTEM acts on and of the folder that it is in. kPassage: a folder on the way there, to which others
// may add (C:\ and C:\ProgramData let them), as what they add is theirs and refused for that; they may not remove or
// rename what is in it, nor itself. kVolume: the same of a volume's root, which nobody can remove or rename.
enum class PathUse { kSecrets, kPrograms, kFollowed, kPassage, kVolume };

// The security of what this program makes. Protected: what the parent grants to others is not inherited.
inline constexpr std::string_view kSecretFolderSddl = "O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)";
inline constexpr std::string_view kSecretFileSddl = "O:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)";
// Users may read and execute.
inline constexpr std::string_view kProgramFolderSddl = "O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)";
inline constexpr std::string_view kProgramFileSddl = "O:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;0x1200a9;;;BU)";

// The account, as a SID, that stands where Windows has administrators: the one that runs this under Wine, which maps
// Unix owners and modes to descriptors; "" everywhere else.
std::string AccountForAdministrators();

// Trusted are SYSTEM, Administrators, TrustedInstaller and `own_account` (a SID; "" for none). Anything else that is
// not understood is refused. Errors: owner, with `where` and what to do.
Result<void> CheckPathSecurity(const PathFacts& facts, PathUse use, std::string_view where,
                               std::string_view own_account = {});

// What Unix says of a file or folder.
struct UnixFacts {
  bool link = false;
  bool folder = false;
  std::uint32_t owner = 0;
  std::uint32_t mode = 0;  // permissions, with the sticky bit
};

// Whether only root and `own_account` can change it, or replace what is in it: it is theirs, and neither group nor
// others may write. A folder of root's with the sticky bit (/tmp) passes: others add to it, but can't remove or rename
// what isn't theirs. Errors: owner, with `where` and what to do.
Result<void> CheckUnixSecurity(const UnixFacts& facts, std::uint32_t own_account, std::string_view where);

// CheckPathSecurity() for something that was in an image before; `descriptor` is self-relative. A machine that was
// captured had users, and every user may make a folder below ProgramData. Errors: owner, with `where` and what to do.
Result<void> CheckImageSecurity(const std::optional<std::string>& descriptor, PathUse use, std::string_view where,
                                std::string_view own_account = {});

}  // namespace prov::machine
