// WIM files that are refused or damaged, and what a killed run leaves.
#include <gtest/gtest.h>

#include <random>

#include "images/tree/file_security.h"
#include "images/tree/wim_tree.h"
#include "provisioner/base/text.h"
#include "tests/images/wim_sample.h"
#include "tests/support/stop_at_call.h"

namespace prov::images {
namespace {

namespace fs = std::filesystem;
using testing::ExpectOk;
using testing::HasWimlib;
using testing::ImageFolder;
using testing::kHive;
using testing::kLimit;
using testing::kNow;
using testing::OpenWimTree;
using testing::Text;
using testing::TreeOf;
using testing::Wimlib;
using testing::WimSample;
using testing_support::ProcessResult;
using testing_support::RunAndStopAt;
using testing_support::Stopped;

TEST(WimTreeSafety, WhatCannotBeUsedIsRefused) {
  REQUIRE_WIMLIB();
  const auto code = [](const std::string& path, TreeAccess access) {
    const auto file = WimFile::Open(path, access, kNow);
    return file ? "opened" : std::string(InfoOf(file.error().code).name) + ": " + file.error().message;
  };
  const WimSample wim;
  EXPECT_EQ(code(wim.At("none"), TreeAccess::kRead).substr(0, 7), "target:");
  EXPECT_EQ(code(wim.At("."), TreeAccess::kRead).substr(0, 7), "target:");
  ASSERT_TRUE(WriteNewFile(wim.At("text"), std::string(1000, 'x'), 0600));
  EXPECT_NE(code(wim.At("text"), TreeAccess::kRead).find("not a WIM"), std::string::npos);
  Wimlib({"export", wim.path(), "1", wim.At("solid.esd"), "--solid"});
  EXPECT_NE(code(wim.At("solid.esd"), TreeAccess::kRead).find("solid"), std::string::npos);
  Wimlib({"export", wim.path(), "1", wim.At("pipable.wim"), "--pipable"});
  EXPECT_NE(code(wim.At("pipable.wim"), TreeAccess::kRead).find("pipable"), std::string::npos);
  Wimlib({"split", wim.path(), wim.At("split.swm"), "0.01"});
  EXPECT_NE(code(wim.At("split.swm"), TreeAccess::kRead).find("join"), std::string::npos);
  const std::string whole = ReadFile(wim.path(), kLimit).value();
  ASSERT_TRUE(WriteNewFile(wim.At("cut.wim"), whole.substr(0, whole.size() - 500), 0600));
  EXPECT_NE(code(wim.At("cut.wim"), TreeAccess::kRead).find("its end is missing"), std::string::npos);
  std::string unfinished = whole;
  unfinished[16] = static_cast<char>(unfinished[16] | 0x40);
  ASSERT_TRUE(WriteNewFile(wim.At("unfinished.wim"), unfinished, 0600));
  EXPECT_EQ(code(wim.At("unfinished.wim"), TreeAccess::kRead), "opened");
  EXPECT_NE(code(wim.At("unfinished.wim"), TreeAccess::kWrite).find("optimize"), std::string::npos);
  EXPECT_EQ(code(wim.At("unfinished.wim"), TreeAccess::kPlan), code(wim.At("unfinished.wim"), TreeAccess::kWrite));
  Wimlib({"optimize", wim.At("unfinished.wim")});
  EXPECT_EQ(code(wim.At("unfinished.wim"), TreeAccess::kWrite), "opened") << "as the message says";
  std::string read_only = whole;
  read_only[16] = static_cast<char>(read_only[16] | 0x04);
  ASSERT_TRUE(WriteNewFile(wim.At("read-only.wim"), read_only, 0600));
  EXPECT_EQ(code(wim.At("read-only.wim"), TreeAccess::kRead), "opened");
  EXPECT_NE(code(wim.At("read-only.wim"), TreeAccess::kWrite).find("export FILE all"), std::string::npos);
  EXPECT_EQ(code(wim.At("read-only.wim"), TreeAccess::kPlan), code(wim.At("read-only.wim"), TreeAccess::kWrite));
  Wimlib({"export", wim.At("read-only.wim"), "all", wim.At("writable.wim")});
  EXPECT_EQ(code(wim.At("writable.wim"), TreeAccess::kWrite), "opened") << "as the message says";
}

TEST(WimTreeSafety, AFileThatFailsItsOwnTableOfDigestsIsLeftAsItIs) {
  REQUIRE_WIMLIB();
  for (const bool with_table : {true, false}) {
    const WimSample wim("LZX", with_table ? std::vector<std::string>{"--check"} : std::vector<std::string>());
    std::string bytes = ReadFile(wim.path(), kLimit).value();
    bytes[5000] = static_cast<char>(bytes[5000] ^ 1);  // of some file's contents
    ASSERT_TRUE(WriteFileAtomically(wim.path(), bytes, 0600));
    const auto foreseen = WimFile::Open(wim.path(), TreeAccess::kPlan, kNow).value()->CheckIntegrity();
    const auto tree = OpenWimTree(wim.path(), 1, TreeAccess::kWrite).value();
    ExpectOk(tree->Write("added", "x", FileUse::kPlain));
    const auto committed = tree->Commit();
    EXPECT_EQ(committed.has_value(), !with_table) << "without a table nobody can know";
    EXPECT_EQ(foreseen.has_value(), !with_table);
    if (with_table) {
      EXPECT_EQ(foreseen.error().message, committed.error().message);
      EXPECT_EQ(committed.error().code, Code::kTarget);
      EXPECT_NE(committed.error().message.find("differ from its own table of digests"), std::string::npos);
      EXPECT_EQ(ReadFile(wim.path(), kLimit).value(), bytes);
    }
  }
}

TEST(WimTreeSafety, ADeltaWimIsCalledOne) {
  REQUIRE_WIMLIB();
  const WimSample base;
  const ImageFolder more;
  more.Put(kHive, Text(1, 300000));  // which the base has
  more.Put("Windows/System32/config/SOFTWARE", "new");
  const std::string delta = base.At("delta.wim");
  Wimlib({"capture", more.root(), delta, "Delta", "--delta-from=" + base.path()});
  const auto tree = OpenWimTree(delta, 1, TreeAccess::kWrite);
  const auto read = tree ? (*tree)->Read(kHive, kLimit) : std::unexpected(tree.error());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kTarget);
  EXPECT_NE(read.error().message.find("delta WIM"), std::string::npos) << read.error().message;
  Wimlib({"export", delta, "all", base.At("whole.wim"), "--ref=" + base.path()});
  const auto whole = OpenWimTree(base.At("whole.wim"), 1, TreeAccess::kRead).value();
  EXPECT_EQ(whole->Read(kHive, kLimit).value(), Text(1, 300000)) << "as the message says";
}

TEST(WimTreeSafety, NoWindowsIsRefused) {
  REQUIRE_WIMLIB();
  const ImageFolder place;
  place.Put("files/a", "b");
  Wimlib({"capture", place.At("files"), place.At("image.wim")});
  EXPECT_EQ(OpenWimTree(place.At("image.wim"), 1, TreeAccess::kRead).error().code, Code::kTarget);
}

TEST(WimTreeSafety, OneWriterAtATime) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  const auto first = wim.Open();
  EXPECT_EQ(WimFile::Open(wim.path(), TreeAccess::kWrite, kNow).error().code, Code::kLock);
  EXPECT_TRUE(WimFile::Open(wim.path(), TreeAccess::kRead, kNow));
  EXPECT_NE(
      testing_support::Run({"wimlib-imagex", "update", wim.path(), "1", "--command", "delete /Windows/empty"}).exit, 0);
}

TEST(WimTreeSafety, AReaderCannotWrite) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  const auto tree = OpenWimTree(wim.path(), 1, TreeAccess::kRead).value();
  EXPECT_EQ(tree->Write("x", "", FileUse::kPlain).error().code, Code::kInternal);
  EXPECT_EQ(tree->Remove("x").error().code, Code::kInternal);
  const std::string before = ReadFile(wim.path(), kLimit).value();
  ExpectOk(tree->Commit());
  EXPECT_EQ(ReadFile(wim.path(), kLimit).value(), before);
}

TEST(WimTreeSafety, OneThatIsStoppedLeavesTheFileAsItWas) {
  REQUIRE_WIMLIB();
  for (const char* compression : {"none", "LZX"}) {
    const WimSample wim(compression, {"--check"});
    const std::string before = ReadFile(wim.path(), kLimit).value();
    std::size_t stops = 0;
    for (std::size_t most = 0;; ++most) {
      const auto file = wim.Open();
      const auto tree = TreeOf(*file, 1);
      ExpectOk(tree->Write(kHive, Text(77, 200000), FileUse::kPlain));
      ExpectOk(tree->Write("added/file", Text(78, 100000), FileUse::kSecret));
      std::size_t asked = 0;
      const auto stopped = file->Commit([&](std::uint64_t /*done*/, std::uint64_t /*total*/) -> Result<void> {
        if (asked++ < most) return {};
        return Fail(Code::kInterrupted, "stopped");
      });
      if (stopped) break;
      ++stops;
      EXPECT_EQ(stopped.error().code, Code::kInterrupted);
      ASSERT_EQ(ReadFile(wim.path(), kLimit).value(), before) << most;
    }
    EXPECT_GE(stops, 3U);
    wim.Verify();
  }
}

TEST(WimTreeSafety, KilledAtAnyCall) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  const std::string original = ReadFile(wim.path(), kLimit).value();
  const auto old_files = wim.Extract(1);
  const std::string bytes = Text(77, 500000);
  auto new_files = old_files;
  new_files[kHive] = bytes;
  new_files["added/file"] = bytes + "x";
  new_files["added/"] = "";
  const auto change = [&] {
    const auto tree = OpenWimTree(wim.path(), 1, TreeAccess::kWrite);
    return tree && (*tree)->Write(kHive, bytes, FileUse::kPlain) &&
           (*tree)->Write("added/file", bytes + "x", FileUse::kSecret) && (*tree)->Commit();
  };
  // Here first, so that the children have libwim already and make the same calls each time.
  ASSERT_TRUE(change());
  std::size_t seen_old = 0, seen_new = 0;
  for (std::size_t call = 0;; ++call) {
    ASSERT_TRUE(WriteFileAtomically(wim.path(), original, 0600));
    const Stopped stopped = RunAndStopAt(call, change);
    if (ReadFile(wim.path(), kLimit).value() == original) {
      ++seen_old;
      continue;
    }
    wim.Verify();
    const auto found = wim.Extract(1);
    ASSERT_TRUE(found == old_files || found == new_files) << "after call " << call;
    ++(found == old_files ? seen_old : seen_new);
    ASSERT_TRUE(change()) << "after call " << call;
    ASSERT_EQ(wim.Extract(1), new_files) << "after call " << call;
    if (stopped == Stopped::kFinished) break;
    ASSERT_LT(call, 1000U);
  }
  EXPECT_GT(seen_old, 10U);
  EXPECT_GT(seen_new, 2U);
}

TEST(WimTreeSafety, WhatAKilledRunLeftBehindIsUsedAgain) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  const auto before = wim.Extract(1);
  const std::string original = ReadFile(wim.path(), kLimit).value();
  ASSERT_TRUE(WriteFileAtomically(wim.path(), original + std::string(3000000, '?'), 0600));
  {
    const auto tree = OpenWimTree(wim.path(), 1, TreeAccess::kWrite).value();
    ExpectOk(tree->Write("Windows/empty", "1", FileUse::kPlain));
    ExpectOk(tree->Commit());
  }
  EXPECT_LT(fs::file_size(wim.path()), original.size() + 100000);
  wim.Verify();
}

TEST(WimTreeSafety, DamageIsAnErrorAndNothingElse) {
  REQUIRE_WIMLIB();
  const WimSample wim("none", {});
  const std::string original = ReadFile(wim.path(), kLimit).value();
  std::size_t refused = 0;
  std::minstd_rand random(1);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = original;
    // In the header, or where the metadata and the tables are.
    for (int n = 0; n < 4; ++n) {
      const std::size_t at = n == 0 ? random() % 208 : bytes.size() - 1 - random() % 60000;
      bytes[at] = static_cast<char>(random());
    }
    ASSERT_TRUE(WriteFileAtomically(wim.At("damaged.wim"), bytes, 0600));
    const auto tree = OpenWimTree(wim.At("damaged.wim"), 1, TreeAccess::kWrite);
    const bool ok = tree && (*tree)->Write(kHive, "x", FileUse::kPlain) &&
                    (*tree)->Write("new/file", "x", FileUse::kSecret) && (*tree)->Remove("Windows/empty") &&
                    (*tree)->Commit();
    if (!ok) ++refused;
  }
  EXPECT_GT(refused, 200U) << "the digest of the metadata sees it";
}

}  // namespace
}  // namespace prov::images
