// Files written under a temporary name by runs that are killed, and that files of others are left alone.
#include "provisioner/base/beside_posix.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "provisioner/base/file.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/stop_at_call.h"

namespace prov {
namespace {

namespace fs = std::filesystem;
using testing_support::RunAndStopAt;
using testing_support::Stopped;

class Beside : public testing::Test {
 protected:
  std::set<std::string> Names() const {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(scratch_.path())) out.insert(entry.path().filename().string());
    return out;
  }
  void Put(const std::string& name) const { ASSERT_TRUE(WriteNewFile(scratch_.At(name), "kept", 0600)); }

  testing_support::ScratchFolder scratch_;
};

TEST_F(Beside, WhatAKilledRunLeftGoesWithTheNext) {
  std::size_t left = 0;
  for (std::size_t call = 0;; ++call) {
    ASSERT_LT(call, 200U);
    const Stopped stopped =
        RunAndStopAt(call, [&] { return WriteFileAtomically(scratch_.At("x"), "new", 0600).has_value(); });
    left += Names().size() - Names().count("x");
    ASSERT_TRUE(WriteFileAtomically(scratch_.At("x"), "newer", 0600));
    EXPECT_EQ(Names(), std::set<std::string>{"x"}) << "after call " << call;
    EXPECT_EQ(ReadFile(scratch_.At("x"), 100), "newer");
    if (stopped == Stopped::kFinished) break;
  }
  EXPECT_GT(left, 2U) << "the runs were cut where they leave nothing";
}

TEST_F(Beside, WhatIsNotOursStays) {
  const std::set<std::string> others = {".x.provisioner-ABCDE",
                                        ".x.provisioner-ABCDEFG",
                                        ".x.provisioner-ABC-EF",
                                        ".y.provisioner-ABCDEF",
                                        "x.provisioner-ABCDEF",
                                        ".x.provisioner-ABCDEF.tmp",
                                        "x.ABCDEF"};
  for (const std::string& name : others) Put(name);
  fs::create_symlink(scratch_.At(".y.provisioner-ABCDEF"), scratch_.At(".x.provisioner-ABCDEF"));
  Put(".x.provisioner-abcdef");
  Put(".x.provisioner-000000.old");
  ASSERT_TRUE(WriteFileAtomically(scratch_.At("x"), "new", 0600));
  std::set<std::string> wanted = others;
  wanted.insert({"x", ".x.provisioner-ABCDEF", ".x.provisioner-000000.old"});
  EXPECT_EQ(Names(), wanted) << "a link is no leftover; what was moved aside may be the only good one";
  RemoveReplaced(scratch_.At("x"));
  wanted.erase(".x.provisioner-000000.old");
  EXPECT_EQ(Names(), wanted);
}

TEST_F(Beside, WhatAnotherRunIsWritingStays) {
  std::string made;
  posix::Descriptor held = MakeFileBeside(scratch_.At("x"), made);
  ASSERT_GE(held.get(), 0);
  ASSERT_TRUE(WriteFileAtomically(scratch_.At("x"), "other", 0600));
  EXPECT_TRUE(fs::exists(made));
  EXPECT_TRUE(held.Close());
  ASSERT_TRUE(WriteFileAtomically(scratch_.At("x"), "other", 0600));
  EXPECT_FALSE(fs::exists(made)) << "nobody holds it any more";
}

TEST_F(Beside, AFolderGoesWithAllThatIsInIt) {
  std::string made;
  {
    const posix::Descriptor held = MakeFolderBeside(scratch_.At("x"), made);
    ASSERT_GE(held.get(), 0);
    fs::create_directories(made + "/a/b");
    ASSERT_TRUE(WriteNewFile(made + "/a/b/file", "x", 0600));
    std::string second;
    const posix::Descriptor other = MakeFolderBeside(scratch_.At("x"), second);
    EXPECT_TRUE(fs::exists(made)) << "it is held";
  }
  std::string third;
  const posix::Descriptor held = MakeFolderBeside(scratch_.At("x"), third);
  EXPECT_EQ(Names(), std::set<std::string>{fs::path(third).filename().string()});
}

TEST_F(Beside, ALongNameAndAMissingFolder) {
  const std::string name(250, 'n');
  ASSERT_TRUE(WriteFileAtomically(scratch_.At(name), "x", 0600));
  EXPECT_EQ(Names(), std::set<std::string>{name});
  std::string made;
  EXPECT_LT(MakeFolderBeside(scratch_.At("none/x"), made).get(), 0);
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace prov
