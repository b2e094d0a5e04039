#include <gtest/gtest.h>

#include "provisioner/base/file.h"
#include "provisioner/base/folder.h"
#include "provisioner/base/windows_api.h"
#include "tests/support/scratch_folder.h"

namespace prov {
namespace {

using win32::Path;

// Names that need UTF-16 and paths beyond 260 units, in the temporary folder.
class WindowsFile : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 6; ++i) {
      folder_ += "\\Gr\u00fc\u00dfe-\u5024-\U0001F600-" + std::string(60, 'x');
      ASSERT_TRUE(CreateDirectoryW(Path(folder_).c_str(), nullptr)) << i;
    }
  }
  void TearDown() override {
    const auto entries = ListTree(root_, 100);
    ASSERT_TRUE(entries) << entries.error().message;
    for (auto it = entries->rbegin(); it != entries->rend(); ++it) {
      const std::wstring name = Path(root_ + "/" + it->path);
      EXPECT_TRUE(DeleteFileW(name.c_str()) || RemoveDirectoryW(name.c_str())) << it->path;
    }
  }

  testing_support::ScratchFolder scratch_;
  std::string root_ = scratch_.path().string();
  std::string folder_ = root_;
};

TEST_F(WindowsFile, LongPathsWithAnyNamesWork) {
  ASSERT_GT(win32::Wide(folder_).size(), 300U);
  const std::string path = folder_ + "/\u0107.json";
  ASSERT_TRUE(WriteFileAtomically(path, "one\r\ntwo\n\x1a", 0644));
  EXPECT_EQ(ReadFile(path, 100), "one\r\ntwo\n\x1a") << "no byte is changed";
  EXPECT_EQ(ReadRegularFile(path, 100), "one\r\ntwo\n\x1a");
  const auto entries = ListTree(root_, 100);
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 7U);
  EXPECT_EQ(entries->front().kind, EntryKind::kFolder);
  EXPECT_TRUE(entries->back().path.ends_with("/\u0107.json"));
  EXPECT_TRUE(FlushFolder(folder_));
}

TEST_F(WindowsFile, AFileThatIsOpenIsReadAndANewOneWaitsForItsCloser) {
  const std::string path = root_ + "/x";
  ASSERT_TRUE(WriteFileAtomically(path, "old", 0644));
  const win32::Handle reader(
      CreateFileW(Path(path).c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr, OPEN_EXISTING, 0, nullptr));
  ASSERT_TRUE(reader);
  EXPECT_EQ(ReadFile(path, 100), "old");
  const auto written = WriteFileAtomically(path, "new", 0644);
  ASSERT_FALSE(written) << "a reader that never ends is an error";
  EXPECT_EQ(written.error().code, Code::kIo);
  EXPECT_EQ(ListTree(root_, 100)->size(), 7U) << "no temporary file may stay";
}

// Whether the list of rights grants anything to everyone.
bool EveryoneMayUse(const std::string& path) {
  PACL rights = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  if (GetNamedSecurityInfoW(Path(path).data(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr, nullptr, &rights,
                            nullptr, &descriptor) != ERROR_SUCCESS) {
    ADD_FAILURE() << "cannot read the rights of " << path;
    return true;
  }
  SID_IDENTIFIER_AUTHORITY world = SECURITY_WORLD_SID_AUTHORITY;
  PSID sid = nullptr;
  EXPECT_TRUE(AllocateAndInitializeSid(&world, 1, SECURITY_WORLD_RID, 0, 0, 0, 0, 0, 0, 0, &sid));
  bool found = false;
  for (DWORD i = 0; rights != nullptr && i < rights->AceCount; ++i) {
    void* entry = nullptr;
    if (GetAce(rights, i, &entry) == 0) continue;
    found = found || EqualSid(&static_cast<ACCESS_ALLOWED_ACE*>(entry)->SidStart, sid);
  }
  FreeSid(sid);
  LocalFree(descriptor);
  return found || rights == nullptr;
}

TEST_F(WindowsFile, SecretsAreNotForEveryone) {
  ASSERT_TRUE(WriteNewFile(root_ + "/secret", "a", 0600));
  ASSERT_TRUE(WriteFileAtomically(root_ + "/replaced", "a", 0644));
  ASSERT_TRUE(WriteNewFile(root_ + "/open", "a", 0644));
  EXPECT_FALSE(EveryoneMayUse(root_ + "/secret"));
  EXPECT_TRUE(EveryoneMayUse(root_ + "/open")) << "else this test sees nothing";
  ASSERT_TRUE(WriteFileAtomically(root_ + "/replaced", "b", 0600));
  EXPECT_FALSE(EveryoneMayUse(root_ + "/replaced"));
  EXPECT_EQ(ReadFile(root_ + "/secret", 10), "a") << "but for who wrote it";
}

TEST_F(WindowsFile, WhatAKilledRunLeftGoesWithTheNext) {
  const std::string path = folder_ + "/x", left = folder_ + "/.x.provisioner-0123abcd";
  for (const std::string& name : {left, left + ".txt", folder_ + "/.y.provisioner-0123abcd"}) {
    ASSERT_TRUE(WriteNewFile(name, "half", 0600));
  }
  ASSERT_TRUE(WriteFileAtomically(path, "new", 0600));
  EXPECT_EQ(ReadFile(left, 100).error().code, Code::kNotFound);
  EXPECT_TRUE(ReadFile(left + ".txt", 100)) << "not a name of ours";
  EXPECT_TRUE(ReadFile(folder_ + "/.y.provisioner-0123abcd", 100)) << "of another file";
}

}  // namespace
}  // namespace prov
