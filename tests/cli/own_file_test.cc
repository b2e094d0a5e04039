// What a command may replace, and what not.
#include "provisioner/cli/own_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/sample.h"
#include "tests/support/scratch_folder.h"

namespace prov::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::ReadAll;

constexpr OwnFile kNote{"a note", "--to", 64, [](std::string_view bytes) { return bytes.starts_with("note:"); }};

class OwnFileTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, std::string_view text) const {
    std::ofstream(scratch_.At(name), std::ios::binary) << text;
    return scratch_.At(name);
  }
  testing_support::ScratchFolder scratch_;
};

TEST_F(OwnFileTest, ReplacesItsOwnAndWhatIsEmpty) {
  for (const std::string& path :
       {Write("own", "note: old"), Write("empty", ""), scratch_.At("new"), scratch_.At("a/b/new")}) {
    const auto written = WriteOwnFile(path, "note: new", 0644, kNote);
    ASSERT_TRUE(written) << path << written.error().message;
    EXPECT_EQ(ReadAll(path), "note: new") << path;
  }
}

TEST_F(OwnFileTest, LeavesAnythingElseAlone) {
  const std::string large = "note: " + std::string(64, 'x');
  for (const auto& [name, text] : {std::pair<const char*, std::string>{"other", "diary"}, {"large", large}}) {
    const std::string path = Write(name, text);
    const auto written = WriteOwnFile(path, "note: new", 0644, kNote);
    ASSERT_FALSE(written) << path;
    EXPECT_EQ(written.error().code, Code::kTarget);
    EXPECT_EQ(written.error().where, path);
    EXPECT_THAT(written.error().message,
                HasSubstr("already exists and is not a note that provisioner wrote; choose another --to or delete it"));
    EXPECT_EQ(ReadAll(path), text);
  }
  fs::create_directory(scratch_.At("folder"));
  for (const std::string& path : {scratch_.At("folder"), scratch_.At("folder/"), scratch_.At("none/")}) {
    const auto written = WriteOwnFile(path, "note: new", 0644, kNote);
    ASSERT_FALSE(written) << path;
    EXPECT_EQ(written.error().code, Code::kTarget);
    EXPECT_EQ(written.error().message, "is a folder; choose another --to, with the name of a file")
        << "never: delete it";
  }
  EXPECT_FALSE(fs::exists(scratch_.At("none"))) << "nothing is made for what is refused";
  EXPECT_FALSE(WriteOwnFile(scratch_.At("other/below"), "note: new", 0644, kNote)) << "a file where a folder must be";
  EXPECT_EQ(ReadAll(scratch_.At("other")), "diary");
}

}  // namespace
}  // namespace prov::cli
