#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "provisioner/machine/log_file.h"
#include "tests/support/scratch_folder.h"

namespace prov::machine {
namespace {

namespace fs = std::filesystem;

class LogFilePosix : public testing::Test {
 protected:
  fs::path Log() const { return folder_ / "provisioner.log"; }

  testing_support::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path();
};

TEST_F(LogFilePosix, IsForItsOwnerAlone) {
  ASSERT_TRUE(LogFile(Log()).Append("x\n"));
  EXPECT_EQ(fs::status(Log()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(LogFilePosix, LinkIsNotFollowed) {
  std::ofstream(folder_ / "target") << "kept";
  fs::create_symlink(folder_ / "target", Log());
  EXPECT_FALSE(LogFile(Log()).Append("x\n"));
  EXPECT_EQ(fs::file_size(folder_ / "target"), 4U);
}

TEST_F(LogFilePosix, OldOneThatIsALinkIsReplacedNotFollowed) {
  std::ofstream(folder_ / "target") << "kept";
  fs::create_symlink(folder_ / "target", Log().string() + ".1");
  LogFile log(Log(), 4);
  ASSERT_TRUE(log.Append("abc\n"));
  ASSERT_TRUE(log.Append("def\n"));
  EXPECT_EQ(fs::file_size(folder_ / "target"), 4U);
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(Log().string() + ".1")));
}

TEST_F(LogFilePosix, NamedPipeDoesNotHoldUpTheRun) {
  ASSERT_EQ(mkfifo(Log().c_str(), 0600), 0);
  EXPECT_FALSE(LogFile(Log()).Append("x\n"));
}

TEST_F(LogFilePosix, DeviceIsRefused) {
  const auto appended = LogFile("/dev/full").Append("x\n");
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code, Code::kOwner);
}

}  // namespace
}  // namespace prov::machine
