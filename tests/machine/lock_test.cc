#include "provisioner/machine/lock.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "tests/support/scratch_folder.h"

namespace prov::machine {
namespace {

namespace fs = std::filesystem;

class LockTest : public testing::Test {
 protected:
  std::string Folder() const { return folder_.string(); }

  testing_support::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path();
};

TEST_F(LockTest, SecondHolderIsRefusedAsBusy) {
  const auto first = AcquireLock(Folder());
  ASSERT_TRUE(first) << first.error().message;
  const auto second = AcquireLock(Folder());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kLock);
  EXPECT_NE(second.error().where.find(kLockFile), std::string::npos);
}

TEST_F(LockTest, EndsWithItsObjectAndLeavesTheFile) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(AcquireLock(Folder())) << i;
  EXPECT_TRUE(fs::exists(folder_ / kLockFile));
}

TEST_F(LockTest, MovesWithItsObject) {
  auto first = AcquireLock(Folder());
  ASSERT_TRUE(first);
  std::optional<Lock> moved(*std::move(first));
  EXPECT_FALSE(AcquireLock(Folder()));
  moved.reset();
  EXPECT_TRUE(AcquireLock(Folder()));
}

TEST_F(LockTest, OtherFolderIsAnotherLock) {
  fs::create_directories(folder_ / "other");
  const auto first = AcquireLock(Folder());
  EXPECT_TRUE(AcquireLock((folder_ / "other").string()));
}

TEST_F(LockTest, MissingFolderIsAnIoError) {
  const auto lock = AcquireLock((folder_ / "missing").string());
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, Code::kIo);
}

}  // namespace
}  // namespace prov::machine
