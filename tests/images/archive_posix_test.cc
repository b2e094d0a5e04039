// Archives as files: all of one or nothing, the same bytes at all times and places. Their contents are read back by
// other programs in tests/e2e (delivery).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "images/archive/archive.h"
#include "provisioner/base/file.h"
#include "tests/support/result.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/stop_at_call.h"
#include "tests/support/umask.h"

namespace prov::images {
namespace {

namespace fs = std::filesystem;
using testing_support::ModeOf;
using testing_support::RunAndStopAt;
using testing_support::Stopped;

constexpr std::int64_t kTime = 1000000000;

class ArchiveFile : public ::testing::TestWithParam<ArchiveFormat> {
 protected:
  ArchiveOptions Options() const { return {.format = GetParam(), .time_unix = kTime, .label = "config-2"}; }

  Result<void> Write(const fs::path& path, const ArchiveOptions& options) const {
    return Fill(*PROV_TRY(MakeArchive(path.string(), options)));
  }
  static Result<void> Fill(FileSink& sink) {
    PROV_TRY(sink.Add("a/empty", "", 0644));
    PROV_TRY(sink.Add("a/secret", "s3cret", 0600));
    PROV_TRY(sink.Add("a/" + std::string(64, 'n'), "long", 0644));
    PROV_TRY(sink.Add("large", std::string(300000, 'x'), 0644));
    return sink.Finish();
  }
  static std::string Read(const fs::path& path) { return ReadFile(path.string(), 1U << 24U).value_or("(unreadable)"); }
  std::size_t Entries() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(root_), {})); }

  testing_support::ScratchFolder scratch_;
  fs::path root_ = scratch_.path();
};

INSTANTIATE_TEST_SUITE_P(Formats, ArchiveFile,
                         ::testing::Values(ArchiveFormat::kTar, ArchiveFormat::kTgz, ArchiveFormat::kZip,
                                           ArchiveFormat::kIso));

// The clock moves on between the two, as far as an image's dates show it, and zone and umask are others: what is within
// says nothing of who wrote it.
TEST_P(ArchiveFile, SameBytesAtAnotherTimeInAnotherZoneAndOfAnotherUmask) {
  {
    const testing_support::Umask set(0022);
    ASSERT_TRUE(Write(root_ / "first", Options()));
  }
  timespec wait{1, 100'000'000};
  nanosleep(&wait, nullptr);
  const testing_support::Umask set(0077);
  setenv("TZ", "Pacific/Kiritimati", 1);
  tzset();
  const auto written = Write(root_ / "second", Options());
  unsetenv("TZ");
  tzset();
  ASSERT_TRUE(written);
  EXPECT_EQ(Read(root_ / "first"), Read(root_ / "second"));
  EXPECT_FALSE(Read(root_ / "first").empty());
}

TEST_P(ArchiveFile, ModeFollowsTheUmaskButForASecret) {
  ArchiveOptions options = Options();
  for (const mode_t mask : {0022U, 0077U}) {
    const testing_support::Umask set(mask);
    for (const unsigned mode : {0600U, 0644U}) {
      options.mode = mode;
      ASSERT_TRUE(Write(root_ / "out", options));
      EXPECT_EQ(ModeOf(root_ / "out"), testing_support::Left(mode, mask)) << mask;
    }
  }
}

TEST_P(ArchiveFile, IsTheSameInMemory) {
  ASSERT_TRUE(Write(root_ / "out", Options()));
  std::string memory;
  auto sink = MakeArchiveIn(memory, Options());
  if (GetParam() == ArchiveFormat::kZip || GetParam() == ArchiveFormat::kIso) {
    EXPECT_FALSE(sink) << "what is normalised afterwards needs a file";
    return;
  }
  ASSERT_TRUE(sink);
  ASSERT_TRUE(Fill(**sink));
  EXPECT_EQ(memory, Read(root_ / "out"));
}

TEST_P(ArchiveFile, WithoutTheEndNothingStays) {
  {
    const auto sink = Must(MakeArchive((root_ / "deep/er/out").string(), Options()));
    ASSERT_TRUE(sink->Add("a", std::string(1 << 20, 'x'), 0644));
  }
  EXPECT_EQ(Entries(), 0U);
}

// As on a full disk: a write fails half-way.
TEST_P(ArchiveFile, AFailedWriteLeavesWhatWasThere) {
  ASSERT_TRUE(Write(root_ / "out", Options()));
  const std::string before = Read(root_ / "out");
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = limit;
  small.rlim_cur = 100;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = Write(root_ / "out", Options());
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, ignored);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::kIo);
  EXPECT_EQ(Read(root_ / "out"), before);
  EXPECT_EQ(Entries(), 1U);
}

TEST_P(ArchiveFile, ReplacesOnlyAnArchiveOfItsKind) {
  std::ofstream(root_ / "mine") << "a letter of somebody's";
  EXPECT_EQ(ErrorIn(Write(root_ / "mine", Options())).code, Code::kTarget);
  EXPECT_EQ(Read(root_ / "mine"), "a letter of somebody's");
  fs::create_directories(root_ / "folder");
  EXPECT_EQ(Write(root_ / "folder", Options()).error().code, Code::kTarget);
  fs::create_symlink(root_ / "nowhere", root_ / "link");
  EXPECT_EQ(Write(root_ / "link", Options()).error().code, Code::kTarget);
  EXPECT_EQ(Write(root_ / "mine" / "out", Options()).error().code, Code::kTarget);
}

// One of somebody else's has the same kind and another beginning, or was made by another program.
TEST_P(ArchiveFile, ReplacesOnlyWhatBeginsAsOurs) {
  ASSERT_TRUE(Write(root_ / "out", Options()));
  std::string image = Read(root_ / "out");
  ArchiveOptions options = Options();
  options.first_entries = {"z", "a/"};
  EXPECT_TRUE(Write(root_ / "out", options));
  if (GetParam() == ArchiveFormat::kIso) {
    const std::size_t at = image.find("PROVISIONER ");
    ASSERT_NE(at, std::string::npos);
    image.replace(at, 11, "MKISOFS-1.0");
    std::ofstream(root_ / "out", std::ios::binary) << image;
  } else {
    options.first_entries = {"z", "a"};
  }
  EXPECT_EQ(ErrorIn(Write(root_ / "out", options)).code, Code::kTarget);
  EXPECT_EQ(Read(root_ / "out"), image);
  for (const std::size_t size : {0U, 2U, 4U, 20U, 30U, 300U}) {
    std::ofstream(root_ / "out", std::ios::binary) << image.substr(0, size);
    EXPECT_FALSE(Write(root_ / "out", options)) << size;
  }
}

TEST_P(ArchiveFile, AnUnsafePathIsADefect) {
  const auto sink = Must(MakeArchive((root_ / "out").string(), Options()));
  for (const char* path : {"../x", "/x", "a//b", "a\\b", ""}) {
    const auto added = sink->Add(path, "x", 0644);
    ASSERT_FALSE(added) << path;
    EXPECT_EQ(added.error().code, Code::kInternal);
  }
}

using Folders = ArchiveFile;
INSTANTIATE_TEST_SUITE_P(One, Folders, ::testing::Values(ArchiveFormat::kIso));

TEST_P(Folders, ANameThatJolietWouldCutIsRefused) {
  const auto sink = Must(MakeArchive((root_ / "out").string(), Options()));
  EXPECT_EQ(ErrorIn(sink->Add(std::string(65, 'n'), "x", 0644)).code, Code::kSizeLimit);
}

TEST_P(Folders, OfFilesAppearWhole) {
  {
    const auto sink = Must(MakeFolder((root_ / "gone/out").string(), kTime));
    ASSERT_TRUE(sink->Add("a/b/c", "x", 0600));
  }
  EXPECT_EQ(Entries(), 0U);
  const auto sink = Must(MakeFolder((root_ / "out").string(), kTime));
  ASSERT_TRUE(sink->Add("a/b/c", "x", 0600));
  ASSERT_TRUE(sink->Add("a/d", "y", 0644));
  EXPECT_FALSE(fs::exists(root_ / "out"));
  ASSERT_TRUE(sink->Finish());
  struct stat info{};
  ASSERT_EQ(stat((root_ / "out/a/b/c").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  EXPECT_EQ(info.st_mtime, kTime);
  ASSERT_EQ(stat((root_ / "out/a/b").c_str(), &info), 0);
  EXPECT_EQ(info.st_mtime, kTime);
  EXPECT_EQ(MakeFolder((root_ / "out").string(), kTime).error().code, Code::kTarget);
}

TEST_P(Folders, ModesFollowTheUmaskButForSecrets) {
  for (const mode_t mask : {0022U, 0077U}) {
    const testing_support::Umask set(mask);
    const fs::path out = root_ / std::to_string(mask) / "out";
    const auto sink = Must(MakeFolder(out.string(), kTime));
    ASSERT_TRUE(sink->Add("a/secret", "x", 0600));
    ASSERT_TRUE(sink->Add("a/plain", "y", 0644));
    ASSERT_TRUE(sink->Finish());
    EXPECT_EQ(ModeOf(out / "a/secret"), 0600U) << mask;
    EXPECT_EQ(ModeOf(out / "a/plain"), testing_support::Left(0644, mask)) << mask;
    EXPECT_EQ(ModeOf(out / "a"), testing_support::Left(0755, mask)) << mask;
    EXPECT_EQ(ModeOf(out), testing_support::Left(0755, mask)) << mask;
    EXPECT_EQ(ModeOf(out.parent_path()), testing_support::Left(0777, mask)) << mask;
  }
}

TEST_P(Folders, OfArchivesAppearWhole) {
  const auto folder = Must(MakeArchiveFolder((root_ / "out").string(), Options()));
  for (const char* name : {"a.iso", "b.iso"}) {
    const auto sink = Must(folder->Make(name, Options()));
    ASSERT_TRUE(sink->Add("x", name, 0644));
    ASSERT_TRUE(sink->Finish());
  }
  EXPECT_FALSE(fs::exists(root_ / "out"));
  ASSERT_TRUE(folder->Finish());
  EXPECT_TRUE(fs::exists(root_ / "out/a.iso"));
  EXPECT_EQ(Entries(), 1U);
}

TEST_P(Folders, OfArchivesReplaceOurDrivesAndNothingElse) {
  const std::string out = (root_ / "out").string();
  const auto write = [&](const char* name) -> Result<void> {
    const auto folder = PROV_TRY(MakeArchiveFolder(out, Options()));
    const auto sink = PROV_TRY(folder->Make(name, Options()));
    PROV_TRY(sink->Add("x", "y", 0644));
    PROV_TRY(sink->Finish());
    return folder->Finish();
  };
  ASSERT_TRUE(write("a.iso"));
  ASSERT_TRUE(write("b.iso"));
  EXPECT_FALSE(fs::exists(out + "/a.iso"));
  for (const char* name : {"c.iso", "notes.txt"}) {
    std::ofstream(out + "/" + name) << "somebody's";
    EXPECT_EQ(ErrorIn(write("a.iso")).code, Code::kTarget) << name;
    EXPECT_TRUE(fs::exists(out + "/b.iso")) << name;
    fs::remove(out + "/" + name);
  }
  fs::create_directory(out + "/d");
  EXPECT_EQ(ErrorIn(write("a.iso")).code, Code::kTarget);
  fs::remove(out + "/d");
  ASSERT_TRUE(write("a.iso"));
  EXPECT_EQ(Entries(), 1U);
}

TEST_P(ArchiveFile, WhatAKilledRunLeftGoesWithTheNext) {
  const fs::path path = root_ / "out";
  std::size_t left = 0;
  ASSERT_TRUE(Write(path, Options()));
  for (std::size_t call = 0;; ++call) {
    ASSERT_LT(call, 2000U);
    const Stopped stopped = RunAndStopAt(call, [&] { return Write(path, Options()).has_value(); });
    left += Entries() - 1;
    ASSERT_TRUE(Write(path, Options())) << "after call " << call;
    EXPECT_EQ(Entries(), 1U) << "after call " << call;
    if (stopped == Stopped::kFinished) break;
  }
  EXPECT_GT(left, 2U);
}

}  // namespace
}  // namespace prov::images
