#include "provisioner/machine/folder_security.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "images/registry/security.h"
#include "images/tree/file_security.h"
#include "tests/support/result.h"

namespace prov::machine {
namespace {

using images::FileSddl;
using images::FileUse;
using images::FolderSddl;

constexpr std::string_view kOurs = "D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)";
constexpr std::string_view kWhere = R"(C:\ProgramData\Provisioner)";

bool Allowed(std::string_view owner, std::string_view dacl, PathUse use = PathUse::kSecrets) {
  const auto result = CheckPathSecurity({false, std::string(owner), std::string(dacl)}, use, kWhere);
  if (!result) {
    EXPECT_EQ(result.error().code, Code::kOwner);
    EXPECT_EQ(result.error().where, kWhere);
  }
  return result.has_value();
}

TEST(FolderSecurity, WhatThisProgramMakesMayBeUsed) {
  const auto dacl = [](std::string_view sddl) { return sddl.substr(4); };  // without "O:BA"
  EXPECT_TRUE(Allowed("S-1-5-32-544", dacl(FolderSddl(FileUse::kSecret))));
  EXPECT_TRUE(Allowed("S-1-5-32-544", dacl(FileSddl(FileUse::kSecret))));
  EXPECT_TRUE(Allowed("BA", dacl(FolderSddl(FileUse::kPlain)), PathUse::kPrograms));
  EXPECT_TRUE(Allowed("BA", dacl(FileSddl(FileUse::kPlain)), PathUse::kPrograms));
  EXPECT_FALSE(Allowed("BA", dacl(FileSddl(FileUse::kPlain))));
}

TEST(FolderSecurity, OnlySystemAdministratorsAndTrustedInstallerMayOwn) {
  for (const char* owner :
       {"S-1-5-18", "S-1-5-32-544", "SY", "BA", "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"}) {
    EXPECT_TRUE(Allowed(owner, kOurs)) << owner;
  }
  for (const char* owner :
       {"S-1-5-21-1-2-3-1001", "S-1-5-32-545", "BU", "S-1-5-19", "S-1-5-180", "", "S-1-1-0", "LA"}) {
    EXPECT_FALSE(Allowed(owner, kOurs)) << owner;
  }
}

TEST(FolderSecurity, ReparsePointIsRefusedWhoeverOwnsIt) {
  EXPECT_FALSE(CheckPathSecurity({true, "S-1-5-18", std::string(kOurs)}, PathUse::kSecrets, kWhere));
}

// What a folder gets that somebody makes below C:\ProgramData without a descriptor of its own.
TEST(FolderSecurity, InheritedRightsOfUsersAreRefusedForSecrets) {
  EXPECT_FALSE(Allowed("S-1-5-32-544",
                       "D:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIIOID;GA;;;CO)(A;OICIID;0x1200a9;;;BU)"
                       "(A;CIID;DCLCRPCR;;;BU)"));
  EXPECT_FALSE(Allowed("S-1-5-32-544", "D:AI(A;OICIID;FA;;;SY)(A;OICIID;0x1200a9;;;BU)"));
  EXPECT_FALSE(Allowed("S-1-5-18", "D:P(A;OICI;FA;;;SY)(A;OICIIO;FR;;;AU)")) << "the files in it are readable";
}

TEST(FolderSecurity, CreatorOwnerIsOneWhoIsTrusted) {
  EXPECT_TRUE(Allowed("SY", "D:P(A;OICI;FA;;;SY)(A;OICIIO;GA;;;CO)(A;OICIIO;GA;;;S-1-3-0)(A;;RC;;;OW)"));
}

TEST(FolderSecurity, DeniedRightsDoNoHarm) { EXPECT_TRUE(Allowed("SY", "D:P(D;;FA;;;WD)(A;;FA;;;SY)")); }

TEST(FolderSecurity, MissingOrUnreadableListIsRefused) {
  for (const char* dacl :
       {"", "D:NO_ACCESS_CONTROL", "D:PNO_ACCESS_CONTROL", "O:BA", "D:P(A;;FA;;;SY", "D:P(A;;FA;SY)", "D:Px",
        "D:P(A;;FA;;;SY)x", "D:P(XA;;FA;;;BU;(WIN://ISMULTISESSION))", "D:P(A;;FA;;;SY)S:(ML;;NW;;;LW)"}) {
    EXPECT_FALSE(Allowed("SY", dacl)) << dacl;
    EXPECT_FALSE(Allowed("SY", dacl, PathUse::kPrograms)) << dacl;
  }
}

// As %ProgramFiles% has it: readable and executable for everybody.
TEST(FolderSecurity, ProgramsMayBeReadByOthers) {
  EXPECT_TRUE(Allowed("S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464",
                      "D:PAI(A;;FA;;;SY)(A;OICIIO;GA;;;SY)(A;;0x1301bf;;;BA)(A;;0x1200a9;;;BU)(A;OICIIO;GXGR;;;BU)"
                      "(A;OICIIO;GA;;;CO)(A;;0x1200a9;;;AC)(A;OICIIO;GXGR;;;AC)(A;;FRFX;;;S-1-15-2-2)",
                      PathUse::kPrograms));
}

TEST(FolderSecurity, EachRightThatChangesSomethingIsRefusedForPrograms) {
  const std::vector<std::string> changing = {
      "FA",  "FW",  "GA",      "GW",      "SD",      "WD",   "WO",    "DC",     "LC",   "RP", "DT",       "CR",
      "0x2", "0x4", "0x10000", "0x40000", "0x80000", "0x40", "0x100", "FRFXWO", "GRSD", "2",  "0x1301bf", "0x1000000"};
  for (const std::string& rights : changing) {
    EXPECT_FALSE(Allowed("SY", "D:P(A;;FA;;;SY)(A;;" + rights + ";;;BU)", PathUse::kPrograms)) << rights;
  }
  for (const char* rights : {"XX", "F", "0x", "0x123456789", "1200a9", "FRz"}) {
    EXPECT_FALSE(Allowed("SY", std::string("D:P(A;;") + rights + ";;;BU)", PathUse::kPrograms)) << rights;
  }
  EXPECT_FALSE(Allowed("SY", "D:P(OA;;FR;;;BU)", PathUse::kPrograms)) << "a kind of entry that files don't have";
}

TEST(FolderSecurity, OwnAccountIsTrustedWhereItIsGiven) {
  const PathFacts facts{false, "S-1-5-21-0-0-0-1000", "D:(A;OICI;FA;;;SY)(A;OICI;FA;;;S-1-5-21-0-0-0-1000)"};
  EXPECT_TRUE(CheckPathSecurity(facts, PathUse::kSecrets, kWhere, "S-1-5-21-0-0-0-1000"));
  EXPECT_FALSE(CheckPathSecurity(facts, PathUse::kSecrets, kWhere, "S-1-5-21-0-0-0-1001"));
  EXPECT_FALSE(CheckPathSecurity(facts, PathUse::kSecrets, kWhere));
}

TEST(FolderSecurity, MessageSaysWhoAndWhatToDo) {
  const Error result = ErrorIn(CheckPathSecurity({false, "S-1-5-21-7", std::string(kOurs)}, PathUse::kSecrets, kWhere));
  EXPECT_NE(result.message.find("S-1-5-21-7"), std::string::npos);
  EXPECT_NE(result.message.find("icacls"), std::string::npos);
}

// Words that fit whatever the folder is above.
TEST(FolderSecurity, AFolderOnTheWayIsNamedWithTheCommandThatMendsIt) {
  const auto result =
      CheckPathSecurity({false, "BA", "D:AI(A;OICIID;0x1301bf;;;AU)"}, PathUse::kPassage, R"(C:\containerd)");
  ASSERT_FALSE(result);
  EXPECT_EQ(
      result.error().message,
      R"(lets Authenticated Users (S-1-5-11) remove it or what is below it: use a folder that only administrators )"
      R"(can change, or take that right away (icacls "C:\containerd" /inheritance:d, then icacls "C:\containerd" )"
      R"(/remove:g *S-1-5-11))");
}

// Each right alone, on what is followed, on a folder above it and on a volume's root.
TEST(FollowedSecurity, WhatOthersMayDoDependsOnWhatItIs) {
  struct Row {
    const char* ace;
    bool followed, passage, volume;
  };
  constexpr Row kRows[] = {
      {"(A;;0x1200a9;;;WD)", true, true, true},                  // read, execute
      {"(A;OICIIO;GRGX;;;BU)", true, true, true},                // the same, of what is made in it
      {"(A;;DC;;;BU)", false, true, true},                       // FILE_WRITE_DATA, FILE_ADD_FILE
      {"(A;;LC;;;AU)", false, true, true},                       // FILE_APPEND_DATA, FILE_ADD_SUBDIRECTORY
      {"(A;;RP;;;BU)", false, true, true},                       // FILE_WRITE_EA
      {"(A;;CR;;;BU)", false, true, true},                       // FILE_WRITE_ATTRIBUTES
      {"(A;;0x40000000;;;BU)", false, true, true},               // GENERIC_WRITE
      {"(A;OICIIO;SDGXGWGR;;;AU)", false, true, true},           // what is made in it is others' to change
      {"(A;IDIO;FA;;;BU)", false, true, true},                   //
      {"(A;;SD;;;BU)", false, false, true},                      // DELETE, with which it is renamed
      {"(A;;0x1301bf;;;AU)", false, false, true},                // Modify
      {"(A;;DT;;;BU)", false, false, false},                     // FILE_DELETE_CHILD
      {"(A;;WD;;;BU)", false, false, false},                     // WRITE_DAC
      {"(A;;WO;;;BU)", false, false, false},                     // WRITE_OWNER
      {"(A;;FA;;;BU)", false, false, false},                     //
      {"(A;;GA;;;BU)", false, false, false},                     //
      {"(A;;0x02000000;;;BU)", false, false, false},             // MAXIMUM_ALLOWED
      {"(A;;FR", false, false, false},                           // damaged
      {"(A;;Q;;;BU)", false, false, false},                      //
      {"(XA;;FR;;;BU;(WIN://SYSAPPID))", false, false, false},   // conditional
      {"(OA;;FR;;;BU)", false, false, false},                    //
      {"(D;;FA;;;WD)", true, true, true},                        //
      {"(A;OICIIO;GA;;;CO)", true, true, true},                  // whoever makes something in it
      {"(A;;FA;;;SY)(A;;FA;;;S-1-5-32-544)", true, true, true},  //
  };
  for (const Row& row : kRows) {
    const std::string dacl = "D:PAI(A;OICI;FA;;;SY)" + std::string(row.ace);
    EXPECT_EQ(Allowed("BA", dacl, PathUse::kFollowed), row.followed) << row.ace;
    EXPECT_EQ(Allowed("BA", dacl, PathUse::kPassage), row.passage) << row.ace;
    EXPECT_EQ(Allowed("BA", dacl, PathUse::kVolume), row.volume) << row.ace;
    EXPECT_FALSE(Allowed("S-1-5-21-7-7-7-1001", dacl, PathUse::kPassage)) << "its owner may change its list";
    EXPECT_FALSE(Allowed("BU", dacl, PathUse::kVolume)) << row.ace;
  }
  for (const PathUse use : {PathUse::kFollowed, PathUse::kPassage, PathUse::kVolume}) {
    EXPECT_FALSE(Allowed("BA", "", use));
    EXPECT_FALSE(Allowed("BA", "D:NO_ACCESS_CONTROL", use)) << "everything to everybody";
    EXPECT_TRUE(Allowed("BA", "D:P", use)) << "nothing to anybody";
    EXPECT_FALSE(CheckPathSecurity({true, "BA", std::string(kOurs)}, use, kWhere)) << "a link";
  }
}

TEST(FollowedSecurity, TheRemedyFitsFilesFoldersAndWhoMayTooMuch) {
  const auto told = [](PathFacts facts, PathUse use) { return CheckPathSecurity(facts, use, "X").error().message; };
  const std::string open = "D:(A;;FA;;;SY)(A;;FA;;;WD)";
  const std::string file = told({false, "BA", open, false}, PathUse::kFollowed);
  EXPECT_NE(file.find("can be changed by Everyone (S-1-1-0)"), std::string::npos) << file;
  EXPECT_NE(file.find("*S-1-5-32-544:F)"), std::string::npos) << file;
  EXPECT_NE(file.find(R"(icacls "X" /inheritance:r /grant:r *S-1-5-18:F)"), std::string::npos) << file;
  const std::string folder = told({false, "BA", open, true}, PathUse::kFollowed);
  EXPECT_NE(folder.find("*S-1-5-32-544:(OI)(CI)F)"), std::string::npos) << folder;
  const std::string above = told({false, "BA", open, true}, PathUse::kPassage);
  EXPECT_NE(above.find(R"(icacls "X" /inheritance:d, then icacls "X" /remove:g *S-1-1-0)"), std::string::npos) << above;
  EXPECT_EQ(above.find("/inheritance:r"), std::string::npos) << "others need the folder, too: " << above;
  const std::string of_user = told({false, "S-1-5-21-7", open, true}, PathUse::kPassage);
  EXPECT_NE(of_user.find(R"(icacls "X" /setowner *S-1-5-32-544)"), std::string::npos) << of_user;
  const std::string unknown = told({false, "BA", "D:(A;;FA;;;S-1-5-21-7-7-7-9)", true}, PathUse::kVolume);
  EXPECT_NE(unknown.find("/remove:g *S-1-5-21-7-7-7-9"), std::string::npos) << unknown;
}

TEST(ImageSecurity, WhatThisProgramMakesInAnImageMayBeUsed) {
  EXPECT_TRUE(CheckImageSecurity(images::FolderDescriptor(FileUse::kSecret), PathUse::kSecrets, kWhere));
  EXPECT_TRUE(CheckImageSecurity(images::FileDescriptor(FileUse::kSecret), PathUse::kSecrets, kWhere));
  EXPECT_TRUE(CheckImageSecurity(images::FileDescriptor(FileUse::kPlain), PathUse::kPrograms, kWhere));
}

TEST(ImageSecurity, WhatOthersMadeOrMayUseIsRefused) {
  EXPECT_FALSE(CheckImageSecurity(images::FolderDescriptor(FileUse::kPlain), PathUse::kSecrets, kWhere));
  std::string of_a_user = images::FolderDescriptor(FileUse::kSecret);
  // S-1-5-32-544, the owner, becomes S-1-5-32-545. Owner and group stand at the end, 16 bytes each.
  ASSERT_EQ(of_a_user[of_a_user.size() - 20], 0x20);
  of_a_user[of_a_user.size() - 20] = 0x21;
  const Error refused = ErrorIn(CheckImageSecurity(of_a_user, PathUse::kSecrets, kWhere));
  EXPECT_EQ(refused.code, Code::kOwner);
  EXPECT_NE(refused.message.find("belongs to Users (S-1-5-32-545)"), std::string::npos) << refused.message;
  EXPECT_TRUE(CheckImageSecurity(of_a_user, PathUse::kSecrets, kWhere, "S-1-5-32-545"));
  for (const std::optional<std::string>& none : {std::optional<std::string>(), std::optional<std::string>("damaged")}) {
    EXPECT_FALSE(CheckImageSecurity(none, PathUse::kSecrets, kWhere));
  }
}

TEST(FolderSecurity, EverybodyReadsWhatAnEntryLetsThemAndNoneForbids) {
  using namespace std::string_view_literals;
  constexpr std::uint32_t kRead = 0x120089, kExecute = 0x20, kGenericRead = 0x8000'0000;
  const std::string everyone("\1\1\0\0\0\0\0\1\0\0\0\0"sv), users("\1\2\0\0\0\0\0\5\x20\0\0\0\x21\x02\0\0"sv),
      authenticated("\1\1\0\0\0\0\0\5\x0B\0\0\0"sv), system("\1\1\0\0\0\0\0\5\x12\0\0\0"sv);
  const auto descriptor = [&](const std::vector<std::string>& entries) {
    const std::string acl = images::MakeAcl(entries);
    images::DescriptorParts parts;
    parts.control = 0x8000 | images::DescriptorParts::kDaclPresent;  // self-relative
    parts.owner = parts.group = system;
    parts.dacl = acl;
    return images::WriteParts(parts);
  };
  const std::string closed = images::AllowAce(system, 0, kRead);
  for (const std::string& sid : {everyone, users, authenticated}) {
    EXPECT_TRUE(EverybodyReads(descriptor({closed, images::AllowAce(sid, 0, kRead)})));
    EXPECT_TRUE(EverybodyReads(descriptor({images::AllowAce(sid, 0, kGenericRead), closed})));
    EXPECT_FALSE(EverybodyReads(descriptor({closed, images::AllowAce(sid, 0, kExecute)})));
    std::string denied = images::AllowAce(sid, 0, kRead);
    denied[0] = 1;
    EXPECT_FALSE(EverybodyReads(descriptor({denied, images::AllowAce(sid, 0, kRead)})));
  }
  EXPECT_FALSE(EverybodyReads(descriptor({closed})));
  EXPECT_FALSE(EverybodyReads(descriptor({})));
  EXPECT_FALSE(EverybodyReads(""));
  EXPECT_TRUE(EverybodyReads(images::FileDescriptor(FileUse::kPlain)));
  EXPECT_FALSE(EverybodyReads(images::FileDescriptor(FileUse::kSecret)));
}

}  // namespace
}  // namespace prov::machine
