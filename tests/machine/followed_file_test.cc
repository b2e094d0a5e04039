// Checks who could have written a file that a node follows: the walk to it, on a file system of a Windows in memory.
#include "provisioner/machine/followed_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/memory_paths.h"

namespace prov::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::kClosedDacl;
using testing_support::MemoryPaths;

constexpr char kFolder[] = R"(C:\egress)";
constexpr char kPayload[] = R"(C:\egress\payload)";
constexpr char kCa[] = R"(C:\egress\payload\ca.pem)";
constexpr std::string_view kUser = "S-1-5-21-1-2-3-1001";

std::string With(std::string_view ace) { return std::string(kClosedDacl) + std::string(ace); }

class FollowedFile : public testing::Test {
 protected:
  FollowedFile() {
    paths_.PutFolder(kFolder);
    paths_.PutFolder(kPayload);
    paths_.PutFile(kCa, "ours");
  }

  Result<std::string> Read(std::string_view path = kCa) { return ReadFollowed(paths_, path, 1 << 20); }
  // The path that is refused for its owner or rights; "" where the file is read, else the error's name.
  std::string Refused(std::string_view path = kCa) {
    const auto read = Read(path);
    if (read) return "";
    message_ = read.error().message;
    return read.error().code == Code::kOwner ? read.error().where : std::string(InfoOf(read.error().code).name);
  }

  MemoryPaths paths_;
  std::string message_;
};

TEST_F(FollowedFile, IsReadWhereOnlyAdministratorsCanChangeIt) {
  EXPECT_EQ(Read(), "ours");
  EXPECT_THAT(paths_.opened, ElementsAre(R"(C:\)", kFolder, kPayload, kCa));
  EXPECT_EQ(Read("C:/egress/./x/../payload//ca.pem"), "ours");
  EXPECT_TRUE(CheckFollowed(paths_, kCa));
  EXPECT_TRUE(CheckFollowed(paths_, kPayload));
}

TEST_F(FollowedFile, OfAUserIsRefused) {
  paths_.At(kCa).facts.owner = kUser;
  EXPECT_EQ(Refused(), kCa);
  EXPECT_THAT(message_, HasSubstr("belongs to S-1-5-21-1-2-3-1001"));
  EXPECT_TRUE(CheckFollowed(paths_, kPayload)) << "the folder's door is closed all the same";
}

// folder_security_test.cc has which rights those are.
TEST_F(FollowedFile, ThatOthersMayWriteIsRefused) {
  paths_.At(kCa).facts.dacl = With("(A;;FW;;;WD)");
  EXPECT_EQ(Refused(), kCa);
  paths_.At(kCa).facts.dacl = With("(A;;FRFX;;;WD)(D;;FA;;;BG)");
  EXPECT_EQ(Refused(), "") << "to read it and to be kept out is no harm";
}

TEST_F(FollowedFile, ItsFolderLetsNobodyAddRemoveOrInherit) {
  for (const char* ace : {"(A;;DC;;;BU)", "(A;;DT;;;WD)", "(A;OIIO;FW;;;AU)"}) {
    paths_.At(kPayload).facts.dacl = With(ace);
    EXPECT_EQ(Refused(), kPayload) << ace;
    EXPECT_FALSE(CheckFollowed(paths_, kPayload)) << ace;
  }
  paths_.At(kPayload).facts = paths_.At(kFolder).facts;
  paths_.At(kPayload).facts.owner = kUser;
  EXPECT_EQ(Refused(), kPayload);
}

TEST_F(FollowedFile, NobodyCanReplaceAFolderAboveIt) {
  paths_.At(kFolder).facts.dacl = With("(A;;DT;;;BU)");
  EXPECT_EQ(Refused(), kFolder);
  EXPECT_THAT(paths_.opened, testing::Not(testing::Contains(kPayload))) << "nothing below is even opened";
  paths_.At(kFolder).facts.dacl = kClosedDacl;
  paths_.At(kFolder).facts.owner = kUser;  // who could let himself in
  EXPECT_EQ(Refused(), kFolder);
}

// C:\ and C:\ProgramData let everybody add something, which is then theirs.
TEST_F(FollowedFile, MayLieBelowFoldersToWhichOthersOnlyAdd) {
  const std::string ours = R"(C:\ProgramData\egress\ca.pem)";
  paths_.PutFolder(R"(C:\ProgramData\egress)");
  paths_.PutFile(ours, "ours");
  EXPECT_EQ(Refused(ours), "");
  paths_.PutFile(R"(C:\ProgramData\ca.pem)", "ours");
  EXPECT_EQ(Refused(R"(C:\ProgramData\ca.pem)"), R"(C:\ProgramData)") << "not beside what others add";
  paths_.PutFolder(R"(C:\ProgramData\egress)", kClosedDacl, kUser);
  EXPECT_EQ(Refused(ours), R"(C:\ProgramData\egress)");
}

TEST_F(FollowedFile, AVolumesRootCantBeMovedAway) {
  paths_.PutFile(R"(C:\ca.pem)", "ours");
  EXPECT_EQ(Refused(R"(C:\ca.pem)"), "");
  paths_.PutFolder(R"(D:\)", "D:(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)(A;OICI;0x1301bf;;;AU)");
  paths_.PutFile(R"(D:\ca.pem)", "ours");
  EXPECT_EQ(Refused(R"(D:\ca.pem)"), "");
  paths_.At(R"(D:\)").facts.dacl = With("(A;;DT;;;AU)");
  EXPECT_EQ(Refused(R"(D:\ca.pem)"), R"(D:\)");
  paths_.At(R"(D:\)").facts.dacl = "D:NO_ACCESS_CONTROL";  // as a volume has it that knows no rights
  EXPECT_EQ(Refused(R"(D:\ca.pem)"), R"(D:\)");
}

TEST_F(FollowedFile, NoLinkIsFollowed) {
  for (const char* path : {kFolder, kPayload, kCa}) {
    paths_.At(path).facts.reparse_point = true;
    EXPECT_EQ(Refused(), path);
    EXPECT_THAT(message_, HasSubstr("is a link"));
    paths_.At(path).facts.reparse_point = false;
  }
}

// What a server says of owners and rights proves nothing, but a signature does.
TEST_F(FollowedFile, OnAShareIsReadOnlyWhereItsSignatureIsChecked) {
  constexpr char kShared[] = R"(\\h\share\ca.pem)";
  constexpr char kMapped[] = R"(Z:\ca.pem)";
  for (const char* root : {R"(\\h\share\)", R"(Z:\)"}) paths_.PutFolder(root);
  for (const char* file : {kShared, kMapped}) paths_.PutFile(file, "ours");
  paths_.At(R"(Z:\)").facts.on_share = true;
  for (const char* file : {kShared, R"(\\?\UNC\h\share\ca.pem)", R"(//h/share/ca.pem)", R"(\\h\share\none)"}) {
    EXPECT_EQ(Refused(file), file);
    EXPECT_THAT(message_, HasSubstr("is on a share"));
    EXPECT_EQ(CheckFollowed(paths_, file).error().code, Code::kOwner) << "even where nothing is there";
  }
  EXPECT_EQ(Refused(kMapped), R"(Z:\)");
  EXPECT_EQ(ReadFollowed(paths_, kShared, 9, Shares::kSigned), "ours");
  EXPECT_EQ(ReadFollowed(paths_, kMapped, 9, Shares::kSigned), "ours");
  paths_.At(kShared).facts.owner = kUser;
  EXPECT_FALSE(ReadFollowed(paths_, kShared, 9, Shares::kSigned));
}

TEST_F(FollowedFile, WhatWasCheckedIsWhatIsRead) {
  paths_.after_checking = [this](const std::string& path) {
    if (path == kCa) paths_.PutFile(kCa, "of a user", kClosedDacl, kUser);
  };
  EXPECT_EQ(Read(), "ours");
  EXPECT_EQ(Refused(), kCa);
}

TEST_F(FollowedFile, WhatIsNotThereIsNoMatterOfRights) {
  EXPECT_EQ(Refused(R"(C:\egress\payload\other.pem)"), "not-found");
  EXPECT_TRUE(CheckFollowed(paths_, R"(C:\egress\payload\other.pem)"));
  EXPECT_TRUE(CheckFollowed(paths_, R"(C:\nowhere\at\all)"));
  EXPECT_EQ(Refused(kPayload), "io");
  EXPECT_EQ(ReadFollowed(paths_, kCa, 3).error().code, Code::kTooLarge);
}

std::vector<std::string> PathsOf(std::string_view path) {
  std::vector<std::string> out;
  const auto steps = FollowedSteps(path, Shares::kSigned);
  if (!steps) return {std::string(InfoOf(steps.error().code).name)};
  for (const FollowedStep& step : *steps) out.push_back(step.path);
  return out;
}

TEST(FollowedSteps, BeginAtTheRootOfAVolume) {
  EXPECT_THAT(PathsOf(R"(C:\a\b)"), ElementsAre(R"(C:\)", R"(C:\a)", R"(C:\a\b)"));
  EXPECT_THAT(PathsOf("d:/a//b/"), ElementsAre(R"(d:\)", R"(d:\a)", R"(d:\a\b)"));
  EXPECT_THAT(PathsOf(R"(\\?\C:\a)"), ElementsAre(R"(C:\)", R"(C:\a)"));
  EXPECT_THAT(PathsOf(R"(\\h\share\a)"), ElementsAre(R"(\\h\share\)", R"(\\h\share\a)"));
  EXPECT_THAT(PathsOf(R"(\\?\UNC\h\share\a)"), ElementsAre(R"(\\h\share\)", R"(\\h\share\a)"));
  EXPECT_THAT(PathsOf(R"(C:\..\a\.\b\..\c)"), ElementsAre(R"(C:\)", R"(C:\a)", R"(C:\a\c)"));
}

TEST(FollowedSteps, TellWhatIsAskedFromWhatLeadsThere) {
  const auto steps = FollowedSteps(R"(C:\a\b\c)");
  ASSERT_TRUE(steps);
  EXPECT_EQ(*steps, (std::vector<FollowedStep>{{R"(C:\)", PathUse::kVolume},
                                               {R"(C:\a)", PathUse::kPassage},
                                               {R"(C:\a\b)", PathUse::kFollowed},
                                               {R"(C:\a\b\c)", PathUse::kFollowed}}));
}

TEST(FollowedSteps, NeedAPathThatLeadsToOnePlace) {
  for (const char* path : {"", "a", R"(a\b)", R"(\a)", "C:", "C:a", R"(\\)", R"(\\h)", R"(\\h\)", R"(\\.\C:\a)",
                           R"(\\?\GLOBALROOT\a)", R"(C:\a:stream)", R"(C:\a::$DATA)", R"(C:\a:s\b)", "/a"}) {
    EXPECT_THAT(PathsOf(path), ElementsAre("usage")) << path;
  }
  EXPECT_THAT(PathsOf(std::string_view("C:\\a\0b", 6)), ElementsAre("usage"));
}

}  // namespace
}  // namespace prov::machine
