#include <gtest/gtest.h>

#include <filesystem>

#include "provisioner/base/file.h"
#include "provisioner/machine/log_file.h"
#include "tests/support/scratch_folder.h"

namespace prov::machine {
namespace {

namespace fs = std::filesystem;

class LogFileTest : public testing::Test {
 protected:
  std::string Path() const { return (folder_ / "provisioner.log").string(); }
  static std::string Content(const std::string& path) { return ReadFile(path, 1U << 20U).value_or("(unreadable)"); }

  testing_support::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path();
};

TEST_F(LogFileTest, LinesFollowEachOther) {
  ASSERT_TRUE(AppendToLog(Path(), "first\n"));
  ASSERT_TRUE(AppendToLog(Path(), "second\n"));
  EXPECT_EQ(Content(Path()), "first\nsecond\n");
}

TEST_F(LogFileTest, FullOneIsKeptAndTheOneBeforeItGoes) {
  for (const char* line : {"line 1\n", "2\n", "3\n", "line 4\n", "line 5\n"})
    ASSERT_TRUE(AppendToLog(Path(), line, 12));
  EXPECT_EQ(Content(Path()), "line 5\n");
  EXPECT_EQ(Content(Path() + ".1"), "line 4\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

TEST_F(LogFileTest, MayBeExactlyFull) {
  for (const char* line : {"line 1\n", "abcd\n"}) ASSERT_TRUE(AppendToLog(Path(), line, 12));
  EXPECT_EQ(Content(Path()), "line 1\nabcd\n");
  ASSERT_TRUE(AppendToLog(Path(), "\n", 12));
  EXPECT_EQ(Content(Path()), "\n");
}

TEST_F(LogFileTest, LineThatIsLongerThanTheLogIsAnError) {
  const auto appended = AppendToLog(Path(), "line 1\n", 4);
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().where, Path());
  EXPECT_TRUE(AppendToLog(Path(), "1\n", 4));
}

TEST_F(LogFileTest, FolderThatIsMissingOrInItsPlaceIsAnError) {
  EXPECT_FALSE(AppendToLog((folder_ / "none" / "provisioner.log").string(), "x\n"));
  EXPECT_TRUE(fs::is_empty(folder_));
  fs::create_directory(Path());
  EXPECT_FALSE(AppendToLog(Path(), "x\n"));
}

}  // namespace
}  // namespace prov::machine
