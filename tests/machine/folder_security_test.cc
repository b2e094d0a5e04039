#include "provisioner/machine/folder_security.h"

#include <gtest/gtest.h>

#include <vector>

#include "images/tree/file_security.h"

namespace prov::machine {
namespace {

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
  EXPECT_TRUE(Allowed("S-1-5-32-544", kSecretFolderSddl.substr(4)));
  EXPECT_TRUE(Allowed("S-1-5-32-544", kSecretFileSddl.substr(4)));
  EXPECT_TRUE(Allowed("BA", kSecretFileSddl.substr(4), PathUse::kPrograms));
  EXPECT_TRUE(Allowed("BA", kProgramFolderSddl.substr(4), PathUse::kPrograms));
  EXPECT_TRUE(Allowed("BA", kProgramFileSddl.substr(4), PathUse::kPrograms));
  EXPECT_FALSE(Allowed("BA", kProgramFileSddl.substr(4)));
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
  const auto result = CheckPathSecurity({false, "S-1-5-21-7", std::string(kOurs)}, PathUse::kSecrets, kWhere);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("S-1-5-21-7"), std::string::npos);
  EXPECT_NE(result.error().message.find("icacls"), std::string::npos);
}

TEST(ImageSecurity, WhatThisProgramMakesInAnImageMayBeUsed) {
  using images::FileUse;
  EXPECT_TRUE(CheckImageSecurity(images::FolderDescriptor(FileUse::kSecret), PathUse::kSecrets, kWhere));
  EXPECT_TRUE(CheckImageSecurity(images::FileDescriptor(FileUse::kSecret), PathUse::kSecrets, kWhere));
  EXPECT_TRUE(CheckImageSecurity(images::FileDescriptor(FileUse::kPlain), PathUse::kPrograms, kWhere));
}

TEST(ImageSecurity, WhatOthersMadeOrMayUseIsRefused) {
  using images::FileUse;
  EXPECT_FALSE(CheckImageSecurity(images::FolderDescriptor(FileUse::kPlain), PathUse::kSecrets, kWhere));
  std::string of_a_user = images::FolderDescriptor(FileUse::kSecret);
  // S-1-5-32-544, the owner, becomes S-1-5-32-545. Owner and group stand at the end, 16 bytes each.
  ASSERT_EQ(of_a_user[of_a_user.size() - 20], 0x20);
  of_a_user[of_a_user.size() - 20] = 0x21;
  const auto refused = CheckImageSecurity(of_a_user, PathUse::kSecrets, kWhere);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kOwner);
  EXPECT_NE(refused.error().message.find("belongs to S-1-5-32-545"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(CheckImageSecurity(of_a_user, PathUse::kSecrets, kWhere, "S-1-5-32-545"));
  for (const std::optional<std::string>& none : {std::optional<std::string>(), std::optional<std::string>("damaged")}) {
    EXPECT_FALSE(CheckImageSecurity(none, PathUse::kSecrets, kWhere));
  }
}

}  // namespace
}  // namespace prov::machine
