#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "provisioner/base/file.h"
#include "tests/support/result.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/umask.h"

namespace prov {
namespace {

namespace fs = std::filesystem;

class PosixFile : public testing::Test {
 protected:
  std::string Path(const char* name) const { return (folder_ / name).string(); }
  unsigned ModeOf(const char* name) const { return testing_support::ModeOf(Path(name)); }

  testing_support::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path();
};

TEST_F(PosixFile, ModesFollowTheUmaskButForSecrets) {
  for (const mode_t mask : {0022U, 0077U, 0027U, 0U}) {
    const testing_support::Umask set(mask);
    fs::remove(folder_ / "y");
    fs::remove(folder_ / "z");
    ASSERT_TRUE(WriteFileAtomically(Path("x"), "a", 0600));
    EXPECT_EQ(ModeOf("x"), 0600U) << mask;
    ASSERT_TRUE(WriteFileAtomically(Path("x"), "b", 0644));
    EXPECT_EQ(ModeOf("x"), testing_support::Left(0644, mask)) << mask;
    ASSERT_TRUE(WriteNewFile(Path("y"), "c", 0600));
    EXPECT_EQ(ModeOf("y"), 0600U) << mask;
    ASSERT_TRUE(WriteNewFile(Path("z"), "d", 0666));
    EXPECT_EQ(ModeOf("z"), testing_support::Left(0666, mask)) << mask;
  }
}

TEST_F(PosixFile, AskingForTheUmaskLeavesIt) {
  const testing_support::Umask set(0027);
  EXPECT_EQ(OutputMode(0777), 0750U);
  EXPECT_EQ(umask(0027), 0027U);
}

TEST_F(PosixFile, ErrorsOfTheSystemSayWhatToDo) {
  EXPECT_EQ(ReadFile(Path("missing"), 10).error().message, "cannot open: No such file or directory; check the path");
  ASSERT_TRUE(WriteNewFile(Path("file"), "x", 0600));
  EXPECT_EQ(ReadFile(Path("file/below"), 10).error().message, "cannot open: Not a directory; check the path");
  EXPECT_EQ(ReadFile(folder_.string(), 10).error().message, "is a folder; give a file");
}

TEST_F(PosixFile, LimitHoldsForStreamsOfUnknownSize) {
  EXPECT_EQ(ErrorIn(ReadFile("/dev/zero", 1 << 20)).code, Code::kTooLarge);
}

TEST_F(PosixFile, ANewFileDoesNotFollowALink) {
  fs::create_symlink(folder_ / "elsewhere", folder_ / "link");
  EXPECT_FALSE(WriteNewFile(Path("link"), "b", 0600));
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
}

}  // namespace
}  // namespace prov
