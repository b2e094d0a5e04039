#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "provisioner/base/file.h"
#include "tests/support/scratch_folder.h"

namespace prov {
namespace {

namespace fs = std::filesystem;

class PosixFile : public testing::Test {
 protected:
  std::string Path(const char* name) const { return (folder_ / name).string(); }
  unsigned ModeOf(const char* name) const {
    struct stat info{};
    return stat(Path(name).c_str(), &info) == 0 ? static_cast<unsigned>(info.st_mode & 07777U) : 0;
  }

  testing_support::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path();
};

TEST_F(PosixFile, ModesAreWhatWasAskedFor) {
  ASSERT_TRUE(WriteFileAtomically(Path("x"), "a", 0600));
  EXPECT_EQ(ModeOf("x"), 0600U);
  ASSERT_TRUE(WriteFileAtomically(Path("x"), "b", 0644));
  EXPECT_EQ(ModeOf("x"), 0644U);
  ASSERT_TRUE(WriteNewFile(Path("y"), "c", 0600));
  EXPECT_EQ(ModeOf("y"), 0600U);
}

TEST_F(PosixFile, LimitHoldsForStreamsOfUnknownSize) {
  const auto endless = ReadFile("/dev/zero", 1 << 20);
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().code, Code::kTooLarge);
}

TEST_F(PosixFile, ANewFileDoesNotFollowALink) {
  fs::create_symlink(folder_ / "elsewhere", folder_ / "link");
  EXPECT_FALSE(WriteNewFile(Path("link"), "b", 0600));
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
}

}  // namespace
}  // namespace prov
