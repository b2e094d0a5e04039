// What a folder of an image does on every system.
#include "images/tree/folder_tree.h"

#include <gtest/gtest.h>

#include "images/tree/windows_tree.h"
#include "tests/images/image_folder.h"
#include "tests/support/memory_tree.h"
#include "tests/support/result.h"

namespace prov::images {
namespace {

using testing::ImageFolder;
using testing::kLimit;
using testing::OpenTree;
using testing_support::MemoryTree;

std::optional<std::string> Read(ImageTree& tree, std::string_view path) { return Must(tree.Read(path, kLimit)); }

TEST(FolderTree, FindsNamesWithoutCase) {
  const ImageFolder image;
  image.Put("WINDOWS/system32/Config/System", "hive");
  image.Put("WINDOWS/\xc3\x84rger.txt", "umlaut");
  const auto tree = OpenTree(image.root());
  EXPECT_EQ(Read(*tree, "Windows/System32/config/SYSTEM"), "hive");
  EXPECT_EQ(Read(*tree, "windows/\xc3\xa4RGER.TXT"), "umlaut");
  EXPECT_EQ(tree->IsFolder("windows/SYSTEM32"), true);
  EXPECT_EQ(tree->IsFile("windows/SYSTEM32"), false);
  EXPECT_EQ(tree->IsFile("windows/system32/config/system"), true);
  EXPECT_EQ(tree->IsFolder("windows/none/further"), false);
  EXPECT_EQ(Read(*tree, "Windows/absent"), std::nullopt);
  EXPECT_EQ(Read(*tree, "Absent/absent"), std::nullopt);
}

TEST(FolderTree, WritesIntoTheSpellingThatIsThere) {
  const ImageFolder image;
  image.Put("Windows/System32/config/SYSTEM", "old");
  auto tree = OpenTree(image.root());
  ASSERT_TRUE(tree->Write("windows/SYSTEM32/CONFIG/system", "new", FileUse::kPlain));
  ASSERT_TRUE(tree->Write("WINDOWS/Setup/Scripts/a.cmd", "made", FileUse::kSecret));
  ASSERT_TRUE(tree->Write("Windows/setup/scripts/empty", "", FileUse::kPlain));
  EXPECT_EQ(Read(*tree, "Windows/Setup/Scripts/empty"), "");
  tree.reset();  // Wine can't list a folder that a writer holds
  EXPECT_EQ(image.Entries(),
            "Windows/ Windows/Setup/ Windows/Setup/Scripts/ Windows/Setup/Scripts/a.cmd Windows/Setup/Scripts/empty "
            "Windows/System32/ Windows/System32/config/ Windows/System32/config/SYSTEM");
  EXPECT_EQ(image.Get("Windows/System32/config/SYSTEM"), "new");
}

TEST(FolderTree, Removes) {
  const ImageFolder image;
  image.Put("Windows/Setup/Scripts/a.cmd", "a");
  auto tree = OpenTree(image.root());
  EXPECT_TRUE(tree->RemoveFolderIfEmpty("Windows/Setup/Scripts"));
  EXPECT_EQ(image.Get("Windows/Setup/Scripts/a.cmd"), "a") << "not empty: left alone";
  EXPECT_TRUE(tree->Remove("Windows/setup/SCRIPTS/A.CMD"));
  EXPECT_TRUE(tree->Remove("Windows/setup/SCRIPTS/A.CMD")) << "it is gone";
  EXPECT_TRUE(tree->Remove("Windows/nowhere/a"));
  EXPECT_TRUE(tree->RemoveFolderIfEmpty("Windows/Setup/Scripts"));
  EXPECT_TRUE(tree->RemoveFolderIfEmpty("Windows/Setup/Scripts"));
  tree.reset();  // as above
  EXPECT_EQ(image.Entries(), "Windows/ Windows/Setup/ Windows/System32/ Windows/System32/config/");
}

TEST(FolderTree, FindsAndRemovesWhatAWriteLeft) {
  const ImageFolder image;
  const std::string name(kTemporaryName);
  image.Put("Windows/System32/config/" + name, std::string(100000, 'x'));
  image.Put(name, "");
  auto tree = OpenTree(image.root());
  for (const char* folder : {"Windows", "Windows/none",
                             "Windows/System32/config/"
                             "SYSTEM"}) {
    EXPECT_FALSE(tree->RemoveLeftover(folder).value()) << folder;
  }
  EXPECT_EQ(OpenTree(image.root(), TreeAccess::kRead)->RemoveLeftover("").error().code, Code::kInternal);
  EXPECT_TRUE(tree->RemoveLeftover("").value());
  EXPECT_TRUE(tree->RemoveLeftover("windows/system32/CONFIG").value());
  EXPECT_FALSE(tree->RemoveLeftover("").value());
  tree.reset();
  EXPECT_EQ(image.Entries(), "Windows/ Windows/System32/ Windows/System32/config/");
}

TEST(FolderTree, RefusesWhatIsNeitherNameNorFile) {
  const ImageFolder image;
  const auto tree = OpenTree(image.root());
  for (const char* path : {"", "/", "/Windows", "Windows/", "Windows//x", "..", "Windows/../x", "Windows/.",
                           "C:", "Windows\\x", "Windows/a\nb", "Windows/a\xff", "Windows/a:stream", "Windows/a*"}) {
    const auto read = tree->Read(path, kLimit);
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().code, Code::kLink) << path;
    EXPECT_FALSE(tree->Write(path, "", FileUse::kPlain)) << path;
    EXPECT_FALSE(tree->Remove(path)) << path;
  }
  EXPECT_EQ(tree->Read("Windows/System32", kLimit).error().code, Code::kTarget);
  EXPECT_EQ(tree->Write("Windows/System32", "", FileUse::kPlain).error().code, Code::kTarget);
  EXPECT_EQ(tree->Remove("Windows/System32").error().code, Code::kTarget);
  image.Put("Windows/file", "1234");
  EXPECT_EQ(tree->Write("Windows/file/below", "", FileUse::kPlain).error().code, Code::kTarget);
  EXPECT_EQ(tree->Read("Windows/file", 3).error().code, Code::kTooLarge);
  EXPECT_EQ(tree->Read("Windows/file", 4).value(), "1234");
  EXPECT_EQ(tree->ReadStart("Windows/file", 3).value(), "123");
  EXPECT_EQ(tree->ReadStart("Windows/file", 9).value(), "1234");
  EXPECT_EQ(tree->ReadStart("Windows/none", 9).value(), std::nullopt);
}

TEST(FolderTree, WantsAWindows) {
  const ImageFolder image;
  const Error below = ErrorIn(OpenFolderTree(image.root() + "/Windows", TreeAccess::kRead));
  EXPECT_EQ(below.code, Code::kTarget);
  EXPECT_NE(below.message.find("Windows/System32/config"), std::string::npos);
  EXPECT_EQ(ErrorIn(OpenFolderTree(image.root() + "/none", TreeAccess::kRead)).code, Code::kTarget);
}

TEST(FolderTree, OneWriterAtATime) {
  const ImageFolder image;
  auto first = OpenTree(image.root());
  EXPECT_EQ(ErrorIn(OpenFolderTree(image.root(), TreeAccess::kWrite)).code, Code::kLock);
  EXPECT_TRUE(OpenFolderTree(image.root(), TreeAccess::kRead)) << "readers don't mind";
  first.reset();
  EXPECT_TRUE(OpenFolderTree(image.root(), TreeAccess::kWrite));
  EXPECT_EQ(image.Entries(), "Windows/ Windows/System32/ Windows/System32/config/") << "the lock leaves nothing";
}

TEST(FolderTree, APlannerNeitherLocksNorWrites) {
  const ImageFolder image;
  const auto planner = OpenTree(image.root(), TreeAccess::kPlan);
  EXPECT_EQ(planner->Write("Windows/x", "", FileUse::kPlain).error().code, Code::kInternal);
  EXPECT_TRUE(OpenFolderTree(image.root(), TreeAccess::kWrite)) << "it holds no lock";
}

TEST(FolderTree, AReaderCannotWrite) {
  const ImageFolder image;
  const auto tree = OpenTree(image.root(), TreeAccess::kRead);
  EXPECT_EQ(tree->Write("Windows/x", "", FileUse::kPlain).error().code, Code::kInternal);
  EXPECT_EQ(tree->Remove("Windows/x").error().code, Code::kInternal);
  EXPECT_EQ(tree->RemoveFolderIfEmpty("Windows/x").error().code, Code::kInternal);
}

TEST(WindowsTree, RefusesAHibernatedWindows) {
  for (const char* start : {"hibr", "HIBR", "wake", "WAKE\1\2"}) {
    MemoryTree tree;
    tree.Put("hiberfil.sys", start + std::string(100, 'x'));
    const auto result = RefuseHibernated(tree);
    ASSERT_FALSE(result) << start;
    EXPECT_EQ(result.error().code, Code::kDirtyHive);
    EXPECT_NE(result.error().message.find("powercfg /h off"), std::string::npos);
  }
  for (const char* start : {"rstr", "RSTR", "", "hib"}) {
    MemoryTree tree;
    tree.Put("hiberfil.sys", start);
    EXPECT_TRUE(RefuseHibernated(tree)) << start;
  }
  MemoryTree hibernated;
  hibernated.Put("hiberfil.sys", "hibr");
  EXPECT_TRUE(IsHibernated(hibernated).value());
  MemoryTree zeroed, none;
  EXPECT_FALSE(IsHibernated(none).value());
  zeroed.Put("hiberfil.sys", std::string(4096, '\0'));
  EXPECT_TRUE(RefuseHibernated(zeroed));
  EXPECT_TRUE(RefuseHibernated(none));
}

}  // namespace
}  // namespace prov::images
