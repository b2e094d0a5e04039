// Removed data that stays in a WIM file, and Optimize, which removes it and keeps everything else.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "images/tree/wim_tree.h"
#include "provisioner/base/file.h"
#include "tests/images/wim_sample.h"
#include "tests/support/stop_at_call.h"

namespace prov::images {
namespace {

namespace fs = std::filesystem;
using testing::ExpectOk;
using testing::HasWimlib;
using testing::kHive;
using testing::kLimit;
using testing::Text;
using testing::TreeOf;
using testing::Wimlib;
using testing::WimSample;
using testing_support::RunAndStopAt;
using testing_support::Stopped;

constexpr const char* kSecret = "Program Files/Provisioner/secret.json";
constexpr std::string_view kPassword = "http://user:hunter2-of-the-proxy@proxy.example.com:3128";

std::string Raw(const WimSample& wim) { return ReadFile(wim.path(), kLimit).value(); }

bool Holds(const std::string& bytes, std::string_view piece) { return bytes.find(piece) != std::string::npos; }

// Puts a secret into the first image and takes it out again. The result is what its blob begins with, in the file.
std::string AddAndRemove(const WimSample& wim) {
  const auto file = wim.Open();
  const auto tree = TreeOf(*file, 1);
  const std::size_t end = fs::file_size(wim.path());  // where the next blob goes
  ExpectOk(tree->Write(kSecret, std::string(kPassword) + Text(3, 20000), FileUse::kSecret));
  ExpectOk(tree->Commit());
  const std::string blob = Raw(wim).substr(end, 64);
  ExpectOk(tree->Remove(kSecret));
  ExpectOk(tree->RemoveFolderIfEmpty("Program Files/Provisioner"));
  ExpectOk(tree->RemoveFolderIfEmpty("Program Files"));
  ExpectOk(tree->Commit());
  EXPECT_GT(file->UnusedBytes().value(), 1000U);
  return blob;
}

struct Format {
  const char* compression;
  bool digests;
};

class WimOptimize : public ::testing::TestWithParam<Format> {
 protected:
  static WimSample Sample() {
    return WimSample(GetParam().compression,
                     GetParam().digests ? std::vector<std::string>{"--check"} : std::vector<std::string>());
  }
};

INSTANTIATE_TEST_SUITE_P(Formats, WimOptimize,
                         ::testing::Values(Format{"none", true}, Format{"XPRESS", false}, Format{"LZX", true},
                                           Format{"LZMS", true}),
                         [](const auto& param) {
                           return param.param.compression + std::string(param.param.digests ? "WithDigests" : "");
                         });

TEST_P(WimOptimize, WhatWasTakenOutIsGoneAndAllElseStays) {
  REQUIRE_WIMLIB();
  const WimSample wim = Sample();
  Wimlib({"export", wim.path(), "1", wim.path(), "Second", "--boot"});
  ASSERT_EQ(chmod(wim.path().c_str(), 0640), 0);
  const auto first = wim.Extract(1);
  const auto second = wim.Extract(2);
  const std::string blob = AddAndRemove(wim);
  const std::string before = Raw(wim);
  EXPECT_TRUE(Holds(before, blob)) << "without Optimize it stays";
  EXPECT_EQ(Holds(before, kPassword), GetParam().compression == std::string("none"));
  {
    const auto file = wim.Open();
    std::uint64_t seen = 0;
    std::uint64_t all = 1;
    ExpectOk(file->Optimize([&](std::uint64_t done, std::uint64_t total) {
      EXPECT_GT(done, seen);
      seen = done;
      all = total;
      return Result<void>();
    }));
    EXPECT_EQ(seen, all);
    EXPECT_EQ(file->UnusedBytes().value(), 0U);
    EXPECT_EQ(TreeOf(*file, 2)->Read(kHive, kLimit).value(), Text(1, 300000)) << "the open file is the new one";
    EXPECT_EQ(WimFile::Open(wim.path(), TreeAccess::kWrite).error().code, Code::kLock) << "and is locked";
  }
  const std::string after = Raw(wim);
  EXPECT_LT(after.size(), before.size());
  EXPECT_FALSE(Holds(after, blob));
  EXPECT_FALSE(Holds(after, kPassword));
  wim.Verify();
  EXPECT_EQ(Holds(wim.Info(), "Integrity"), GetParam().digests);
  EXPECT_TRUE(Holds(wim.Info(), "Boot Index:     2"));
  EXPECT_EQ(wim.Extract(1), first);
  EXPECT_EQ(wim.Extract(2), second);
  EXPECT_EQ(fs::status(wim.path()).permissions(), static_cast<fs::perms>(0640));
  EXPECT_FALSE(fs::exists(wim.path() + ".provisioner-new.tmp"));
}

TEST_P(WimOptimize, TheFileGoesOnBeingEdited) {
  REQUIRE_WIMLIB();
  const WimSample wim = Sample();
  AddAndRemove(wim);
  {
    const auto file = wim.Open();
    const auto tree = TreeOf(*file, 1);
    ExpectOk(file->Optimize({}));
    ExpectOk(tree->Write("added", "by the same tree", FileUse::kPlain));
    ExpectOk(tree->Commit());
  }
  wim.Verify();
  EXPECT_EQ(wim.Extract(1).at("added"), "by the same tree");
  Wimlib({"optimize", wim.path()});
  wim.Verify();
}

TEST(WimOptimizeSafety, AnotherNameOfTheFileWouldKeepTheSecret) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  AddAndRemove(wim);
  fs::create_hard_link(wim.path(), wim.At("other.wim"));
  const std::string before = Raw(wim);
  const auto optimized = wim.Open()->Optimize({});
  ASSERT_FALSE(optimized);
  EXPECT_EQ(optimized.error().code, Code::kTarget);
  EXPECT_TRUE(Holds(optimized.error().message, "2 names"));
  EXPECT_EQ(Raw(wim), before);
}

TEST(WimOptimizeSafety, ALinkToTheFileStaysALink) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  const std::string blob = AddAndRemove(wim);
  const std::string link = wim.At("link.wim");
  fs::create_symlink("image.wim", link);
  ExpectOk(WimFile::Open(link, TreeAccess::kWrite).value()->Optimize({}));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_FALSE(Holds(Raw(wim), blob));
  wim.Verify();
}

TEST(WimOptimizeSafety, DamageStaysAsItIs) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  AddAndRemove(wim);
  std::string bytes = Raw(wim);
  bytes[5000] = static_cast<char>(bytes[5000] ^ 1);
  ASSERT_TRUE(WriteFileAtomically(wim.path(), bytes, 0600));
  const auto optimized = wim.Open()->Optimize({});
  ASSERT_FALSE(optimized);
  EXPECT_EQ(optimized.error().code, Code::kTarget);
  EXPECT_EQ(Raw(wim), bytes);
  EXPECT_FALSE(fs::exists(wim.path() + ".provisioner-new.tmp"));
}

TEST(WimOptimizeSafety, ChangesAreCommittedFirst) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  const auto file = wim.Open();
  const auto tree = TreeOf(*file, 1);
  ExpectOk(tree->Write("added", "x", FileUse::kPlain));
  const auto optimized = file->Optimize({});
  ASSERT_FALSE(optimized);
  EXPECT_EQ(optimized.error().code, Code::kInternal);
}

TEST(WimOptimizeSafety, OneThatIsStoppedLeavesTheFileAsItWas) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  AddAndRemove(wim);
  const std::string before = Raw(wim);
  const auto stopped = wim.Open()->Optimize([](std::uint64_t /*done*/, std::uint64_t /*total*/) {
    return Result<void>(Fail(Code::kInterrupted, "stopped"));
  });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::kInterrupted);
  EXPECT_EQ(Raw(wim), before);
  EXPECT_FALSE(fs::exists(wim.path() + ".provisioner-new.tmp"));
}

TEST(WimOptimizeSafety, WhatAKilledOneLeftGoesWithTheNextRunThatWrites) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  const std::string left = wim.path() + ".provisioner-new.tmp";
  ASSERT_TRUE(WriteNewFile(left, "half of a copy", 0600));
  ASSERT_TRUE(WimFile::Open(wim.path(), TreeAccess::kRead));
  EXPECT_TRUE(fs::exists(left)) << "who reads may run beside one that writes";
  const auto file = wim.Open();
  EXPECT_FALSE(fs::exists(left));
}

// At each call the file is the old one or the new one, and the next run finishes it.
TEST(WimOptimizeSafety, KilledAtAnyCall) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  const std::string blob = AddAndRemove(wim);
  const std::string before = Raw(wim);
  const auto optimize = [&] {
    const auto file = WimFile::Open(wim.path(), TreeAccess::kWrite);
    return file && (*file)->Optimize({});
  };
  ASSERT_TRUE(optimize()) << "here first, so that the children have libwim already";
  int kept = 0;
  for (std::size_t call = 0;; ++call) {
    ASSERT_TRUE(WriteFileAtomically(wim.path(), before, 0600));
    const Stopped stopped = RunAndStopAt(call, optimize);
    if (Raw(wim) == before) {
      ++kept;
    } else {
      EXPECT_FALSE(Holds(Raw(wim), blob)) << call;
      wim.Verify();
    }
    EXPECT_TRUE(optimize()) << "after call " << call;
    EXPECT_FALSE(Holds(Raw(wim), blob)) << call;
    EXPECT_FALSE(fs::exists(wim.path() + ".provisioner-new.tmp")) << call;
    if (stopped == Stopped::kFinished) break;
    ASSERT_LT(call, 1000U);
  }
  EXPECT_GT(kept, 10);
}

}  // namespace
}  // namespace prov::images
