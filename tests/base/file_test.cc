#include "provisioner/base/file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/result.h"
#include "tests/support/scratch_folder.h"

namespace prov {
namespace {

namespace fs = std::filesystem;

class File : public testing::Test {
 protected:
  std::string Path(const char* name) const { return (folder_ / name).string(); }

  testing_support::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path();
};

TEST_F(File, WriteThenReadGivesTheSameBytes) {
  const std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(WriteFileAtomically(Path("x"), bytes, 0600));
  EXPECT_EQ(ReadFile(Path("x"), 100), bytes);
  ASSERT_TRUE(WriteFileAtomically(Path("x"), "new", 0644));
  EXPECT_EQ(ReadFile(Path("x"), 100), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1)
      << "no temporary file may stay";
}

TEST_F(File, MissingFileIsNotFound) {
  const Error read = ErrorIn(ReadFile(Path("none"), 100));
  EXPECT_EQ(read.code, Code::kNotFound);
  EXPECT_EQ(read.where, Path("none"));
}

TEST_F(File, FolderIsNoFile) { EXPECT_EQ(ErrorIn(ReadFile(folder_.string(), 100)).code, Code::kIo); }

TEST_F(File, LimitHolds) {
  ASSERT_TRUE(WriteFileAtomically(Path("big"), std::string(101, 'x'), 0600));
  EXPECT_EQ(ErrorIn(ReadFile(Path("big"), 100)).code, Code::kTooLarge);
  EXPECT_TRUE(ReadFile(Path("big"), 101));
}

TEST_F(File, WritingIntoAMissingFolderIsAnError) {
  const Error written = ErrorIn(WriteFileAtomically(Path("no/such/x"), "a", 0600));
  EXPECT_EQ(written.where, Path("no/such/x"));
}

TEST_F(File, AFailedRenameLeavesNothingBehind) {
  fs::create_directories(folder_ / "x" / "y");
  EXPECT_EQ(ErrorIn(WriteFileAtomically(Path("x"), "a", 0600)).code, Code::kIo);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(File, ANewFileNeverReplacesOne) {
  ASSERT_TRUE(WriteNewFile(Path("x"), "a", 0600));
  EXPECT_EQ(ErrorIn(WriteNewFile(Path("x"), "b", 0600)).code, Code::kIo);
  EXPECT_EQ(ReadFile(Path("x"), 10), "a");
  EXPECT_TRUE(FlushFolder(folder_.string()));
  EXPECT_FALSE(FlushFolder(Path("none")));
}

}  // namespace
}  // namespace prov
