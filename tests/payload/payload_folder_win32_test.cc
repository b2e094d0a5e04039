#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/file.h"
#include "provisioner/base/folder.h"
#include "provisioner/base/windows_api.h"
#include "provisioner/payload/payload_folder.h"
#include "tests/support/scratch_folder.h"

namespace prov::payload {
namespace {

using win32::Path;

class WindowsPayloadFolder : public testing::Test {
 protected:
  void TearDown() override {
    const auto entries = ListTree(root_, 100);
    ASSERT_TRUE(entries) << entries.error().message;
    for (auto it = entries->rbegin(); it != entries->rend(); ++it) {
      const std::wstring name = Path(root_ + "/" + it->path);
      EXPECT_TRUE(DeleteFileW(name.c_str()) || RemoveDirectoryW(name.c_str())) << it->path;
    }
  }

  const Payload payload_ = {1,
                            {{"egress.json", "x", true, "p"},
                             {"manifest.json", "{}", false, "p"},
                             {"trust/ROOT/" + std::string(40, 'A') + ".cer", "der", false, "p"}}};
  testing_support::ScratchFolder scratch_;
  std::string root_ = scratch_.path().string();
};

std::int64_t TimeOf(const std::string& path) {
  WIN32_FILE_ATTRIBUTE_DATA data{};
  if (GetFileAttributesExW(Path(path).c_str(), GetFileExInfoStandard, &data) == 0) return 0;
  const ULARGE_INTEGER ticks{{data.ftLastWriteTime.dwLowDateTime, data.ftLastWriteTime.dwHighDateTime}};
  return static_cast<std::int64_t>(ticks.QuadPart / 10000000U) - 11644473600;
}

TEST_F(WindowsPayloadFolder, WritesAndReplacesInALongPathWithAnyNames) {
  const std::string out = root_ + "/\u5024/" + std::string(150, 'y') + "/" + std::string(150, 'z') + "/out";
  for (int i = 0; i < 2; ++i) {
    const auto written = WritePayloadFolder(payload_, out, 1000000000);
    ASSERT_TRUE(written) << written.error().message << " " << written.error().where;
  }
  EXPECT_EQ(ReadFile(out + "/egress.json", 10), "x");
  for (const char* name : {"", "/egress.json", "/trust", "/trust/ROOT"})
    EXPECT_EQ(TimeOf(out + name), 1000000000) << name;
  EXPECT_EQ(ListTree(root_, 100)->size(), 4U + 5U) << "nothing temporary may stay";
}

TEST_F(WindowsPayloadFolder, AnEarlierPayloadThatIsInUseStays) {
  const std::string out = root_ + "/out";
  ASSERT_TRUE(WritePayloadFolder(payload_, out, 0));
  const win32::Handle user(CreateFileW(Path(out + "/egress.json").c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr,
                                       OPEN_EXISTING, 0, nullptr));
  ASSERT_TRUE(user);
  Payload other = payload_;
  other.files[0].bytes = "other";
  const auto written = WritePayloadFolder(other, out, 0);
  // Windows refuses to move a folder with an open file in it, Wine does it: the new payload is there or the old one is,
  // never neither.
  EXPECT_EQ(ReadFile(out + "/egress.json", 10),
            written || ReadFile(out + "/egress.json", 10) == "other" ? "other" : "x");
  EXPECT_TRUE(ReadFile(out + "/manifest.json", 10));
}

TEST_F(WindowsPayloadFolder, AShareStaysAShare) {
  const std::string out = "\\\\no-such-server\\share\\x";
  const auto written = WritePayloadFolder(payload_, out, 0);
  ASSERT_FALSE(written) << "it went to the current drive";
  EXPECT_THAT(written.error().where, testing::StartsWith("\\\\no-such-server"));
}

TEST_F(WindowsPayloadFolder, RootsAreNoNamesForAFolder) {
  for (const char* name : {"C:\\", "C:", "/", "\\\\server\\share\\", ".."}) {
    const auto written = WritePayloadFolder(payload_, name, 0);
    ASSERT_FALSE(written) << name;
    EXPECT_EQ(written.error().code, Code::kUsage) << name;
  }
}

TEST_F(WindowsPayloadFolder, WhatAKilledRunLeftGoesUnlessItIsHeld) {
  const std::string out = root_ + "/out", left = root_ + "/.out.provisioner-0123abcd", other = left + "x";
  for (const std::string& folder : {left, left + "/trust", other, root_ + "/.out.provisioner-ffffffff.old"}) {
    ASSERT_TRUE(CreateDirectoryW(Path(folder).c_str(), nullptr)) << folder;
  }
  ASSERT_TRUE(WriteNewFile(left + "/trust/half", "x", 0600));
  {
    const win32::Handle held(CreateFileW(Path(left).c_str(), FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                         nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
    ASSERT_TRUE(held);
    ASSERT_TRUE(WritePayloadFolder(payload_, out, 0));
    EXPECT_TRUE(IsFolder(left)) << "another run writes it";
    EXPECT_FALSE(IsFolder(root_ + "/.out.provisioner-ffffffff.old")) << "there is a new one";
  }
  ASSERT_TRUE(WritePayloadFolder(payload_, out, 0));
  EXPECT_FALSE(IsFolder(left));
  EXPECT_TRUE(IsFolder(other)) << "that name is not ours";
}

}  // namespace
}  // namespace prov::payload
