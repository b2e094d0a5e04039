// The walk to a followed file through Windows' own calls. Wine shows no rights as Windows has them, so who may do what
// is tested on descriptors (folder_security_test.cc); here is what opening and reading do.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "provisioner/base/windows_api.h"
#include "provisioner/machine/followed_file.h"
#include "tests/support/scratch_folder.h"

namespace prov::machine {
namespace {

class FollowedFileWindows : public testing::Test {
 protected:
  FollowedFileWindows() {
    std::filesystem::create_directory(scratch_.path() / "egress");
    std::ofstream(scratch_.path() / "egress" / "ca.pem", std::ios::binary) << "ours\r\n";
  }

  Result<std::string> Read(const std::string& path) { return ReadFollowed(LivePaths(), path, 1 << 20); }

  testing_support::ScratchFolder scratch_;
  std::string folder_ = scratch_.At("egress");
  std::string ca_ = folder_ + "\\ca.pem";
};

TEST_F(FollowedFileWindows, IsReadWhole) {
  const auto read = Read(ca_);
  ASSERT_TRUE(read) << read.error().message << ": " << read.error().where;
  EXPECT_EQ(*read, "ours\r\n");
  std::string slashes = ca_;
  for (char& c : slashes) c = c == '\\' ? '/' : c;
  EXPECT_EQ(Read(slashes), "ours\r\n");
  EXPECT_TRUE(CheckFollowed(LivePaths(), ca_));
  EXPECT_TRUE(CheckFollowed(LivePaths(), folder_));
  EXPECT_EQ(ReadFollowed(LivePaths(), ca_, 3).error().code, Code::kTooLarge);
}

TEST_F(FollowedFileWindows, WhatIsNoFileIsAnError) {
  EXPECT_EQ(Read(folder_).error().code, Code::kIo);
  EXPECT_EQ(Read(folder_ + "\\none.pem").error().code, Code::kNotFound);
  EXPECT_EQ(Read(folder_ + "\\none\\none.pem").error().code, Code::kNotFound);
  EXPECT_TRUE(CheckFollowed(LivePaths(), folder_ + "\\none.pem"));
  EXPECT_EQ(Read("ca.pem").error().code, Code::kUsage);
}

// Who opened it before its rights were mended could change it while it is read.
TEST_F(FollowedFileWindows, IsNotReadWhileAnotherWritesIt) {
  win32::Handle writer(CreateFileW(win32::Path(ca_).c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                                   OPEN_EXISTING, 0, nullptr));
  ASSERT_TRUE(writer);
  EXPECT_EQ(Read(ca_).error().code, Code::kIo);
  writer.Close();
  EXPECT_EQ(Read(ca_), "ours\r\n");
}

}  // namespace
}  // namespace prov::machine
