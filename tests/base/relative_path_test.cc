#include "provisioner/base/relative_path.h"

#include <gtest/gtest.h>

#include <string>

namespace prov {
namespace {

TEST(RelativePath, SafeOnesNameAFileBeneathTheFolderOnEverySystem) {
  for (const std::string_view path :
       {"a", "a/b.c", "trust/ROOT/0123.cer", ".hidden", "com", "COM10", "con/x.txt1", "a b"}) {
    const bool device = path == "con/x.txt1";
    EXPECT_EQ(IsSafeRelativePath(path), !device) << path;
  }
}

TEST(RelativePath, OthersAreNot) {
  for (const std::string_view path :
       {"",       "/a", "a/",   "a//b", ".",        "..",       "../a",       "a/../b",
        "a/.",    "C:", "C:/a", "C:a",  "a:stream", R"(a\b)",   R"(\\srv\x)", R"(\\?\C:\a)",
        "a.",     "a ", "a./b", "CON",  "nul.txt",  "Com1",     "lpt9.x",     "NUL .txt",
        "conin$", "a*", "a?",   "a<b",  "a\n",      "\xC3\xA4", "a|b",        "a\"b"}) {
    EXPECT_FALSE(IsSafeRelativePath(path)) << path;
  }
  EXPECT_TRUE(IsSafeRelativePath(std::string(240, 'a')));
  EXPECT_FALSE(IsSafeRelativePath(std::string(241, 'a')));
}

}  // namespace
}  // namespace prov
