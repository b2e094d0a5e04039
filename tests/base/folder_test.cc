#include "provisioner/base/folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/result.h"
#include "tests/support/scratch_folder.h"

namespace prov {
namespace {

namespace fs = std::filesystem;

class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    fs::create_directories(root_ / "b" / "c");
    std::ofstream(root_ / "b" / "f") << "text";
    std::ofstream(root_ / "a") << "";
  }

  testing_support::ScratchFolder scratch_;
  fs::path root_ = scratch_.path();
};

TEST_F(FolderTest, ListsEverythingSorted) {
  const auto entries = Must(ListTree(root_.string(), 100));
  EXPECT_EQ(
      entries,
      (std::vector<FolderEntry>{
          {"a", EntryKind::kFile}, {"b", EntryKind::kFolder}, {"b/c", EntryKind::kFolder}, {"b/f", EntryKind::kFile}}));
}

TEST_F(FolderTest, BoundsAndMissingFolders) {
  EXPECT_TRUE(ListTree(root_.string(), 4));
  EXPECT_EQ(ListTree(root_.string(), 3).error().code, Code::kTooLarge);
  EXPECT_EQ(ListTree((root_ / "absent").string(), 3).error().code, Code::kNotFound);
  EXPECT_FALSE(ListTree((root_ / "a").string(), 3));
  EXPECT_TRUE(IsFolder(root_.string()));
  EXPECT_FALSE(IsFolder((root_ / "a").string()));
  EXPECT_FALSE(IsFolder((root_ / "absent").string()));
}

TEST_F(FolderTest, RegularFilesOnly) {
  EXPECT_EQ(ReadRegularFile((root_ / "b" / "f").string(), 4), "text");
  EXPECT_EQ(ReadRegularFile((root_ / "b" / "f").string(), 3).error().code, Code::kTooLarge);
  EXPECT_EQ(ReadRegularFile((root_ / "absent").string(), 3).error().code, Code::kNotFound);
  EXPECT_FALSE(ReadRegularFile((root_ / "b").string(), 3));
}

#ifndef _WIN32  // Wine makes links only where the user may, and then not as Windows does
TEST_F(FolderTest, LinksAreSeenAndNotFollowed) {
  fs::create_directory_symlink(root_ / "b", root_ / "l");
  fs::create_symlink(root_ / "b" / "f", root_ / "m");
  const auto entries = Must(ListTree(root_.string(), 100));
  EXPECT_EQ(entries.size(), 6U);
  EXPECT_EQ(entries.at(4), (FolderEntry{"l", EntryKind::kOther}));
  EXPECT_EQ(ReadRegularFile((root_ / "m").string(), 10).error().code, Code::kLink);
  EXPECT_FALSE(IsFolder((root_ / "l").string()));
}
#endif

}  // namespace
}  // namespace prov
