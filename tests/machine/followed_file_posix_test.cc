// The walk to a followed file on real folders: modes, owners, links and what happens between check and reading. Modes
// are set here, whatever the umask is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "provisioner/machine/followed_file.h"
#include "tests/support/scratch_folder.h"

namespace prov::machine {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FollowedFilePosix : public testing::Test {
 protected:
  FollowedFilePosix() {
    Mode(scratch_.path(), 0755);
    for (const fs::path& folder : {a_, b_}) {
      fs::create_directory(folder);
      Mode(folder, 0755);
    }
    Write(ca_, "ours");
  }

  static void Mode(const fs::path& path, mode_t mode) { ASSERT_EQ(chmod(path.c_str(), mode), 0) << path; }
  static void Write(const fs::path& path, const std::string& text) {
    std::ofstream(path) << text;
    Mode(path, 0644);
  }

  static Result<std::string> Read(const fs::path& path) { return ReadFollowed(LivePaths(), path.string(), 1 << 20); }
  // The path that is refused for its owner or rights; "" where the file is read, else the error's name.
  std::string Refused(const fs::path& path) {
    const auto read = Read(path);
    if (read) return "";
    message_ = read.error().message;
    return read.error().code == Code::kOwner ? read.error().where : std::string(InfoOf(read.error().code).name);
  }

  testing_support::ScratchFolder scratch_;
  fs::path a_ = scratch_.path() / "a";
  fs::path b_ = a_ / "b";
  fs::path ca_ = b_ / "ca.pem";
  std::string message_;
};

// The folder for temporary files lets everybody add to it, and its sticky bit keeps what is there.
TEST_F(FollowedFilePosix, IsReadBelowASharedFolder) {
  EXPECT_EQ(Refused(ca_), "") << message_;
  EXPECT_EQ(Read(ca_), "ours");
  EXPECT_TRUE(CheckFollowed(LivePaths(), b_.string()));
}

TEST_F(FollowedFilePosix, WritableByOthersIsRefusedOnEachStep) {
  for (const fs::path& path : {ca_, b_, a_}) {
    for (const mode_t mode : {0757U, 0777U, 0775U}) {
      Mode(path, mode);
      EXPECT_EQ(Refused(ca_), path) << std::oct << mode;
      EXPECT_THAT(message_, HasSubstr("chmod go-w"));
    }
    Mode(path, path == ca_ ? 0644 : 0755);
  }
  EXPECT_EQ(Refused(ca_), "");
}

TEST_F(FollowedFilePosix, StickyIsNoExcuseForAFile) {
  Mode(ca_, 01666);
  EXPECT_EQ(Refused(ca_), ca_);
}

TEST_F(FollowedFilePosix, OfAnotherUserIsRefusedOnEachStep) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root: only it gives files to another user";
  for (const fs::path& path : {ca_, b_, a_}) {
    ASSERT_EQ(lchown(path.c_str(), 65534, 65534), 0);
    EXPECT_EQ(Refused(ca_), path);
    EXPECT_THAT(message_, HasSubstr("belongs to user 65534"));
    ASSERT_EQ(lchown(path.c_str(), 0, 0), 0);
  }
  // Sticky keeps what is there from others, but not from the folder's owner.
  ASSERT_EQ(lchown(a_.c_str(), 65534, 65534), 0);
  Mode(a_, 01777);
  EXPECT_EQ(Refused(ca_), a_);
}

TEST_F(FollowedFilePosix, NoLinkIsFollowed) {
  const fs::path file_link = b_ / "link.pem";
  const fs::path folder_link = scratch_.path() / "link";
  fs::create_symlink(ca_, file_link);
  fs::create_directory_symlink(b_, folder_link);
  EXPECT_EQ(Refused(file_link), file_link);
  EXPECT_EQ(Refused(folder_link / "ca.pem"), folder_link);
  EXPECT_FALSE(CheckFollowed(LivePaths(), folder_link.string()));
  EXPECT_THAT(message_, HasSubstr("is a link"));
}

TEST_F(FollowedFilePosix, OnlyAPlainFileIsRead) {
  const fs::path pipe = b_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(Refused(pipe), "io") << "and nobody waits for a writer";
  EXPECT_EQ(Refused(b_), "io");
  EXPECT_EQ(Refused(b_ / "none.pem"), "not-found");
  EXPECT_EQ(Refused(ca_ / "below"), "not-found");
  EXPECT_TRUE(CheckFollowed(LivePaths(), (b_ / "none.pem").string()));
}

// What is open stays what it is, whatever its path leads to by then.
TEST_F(FollowedFilePosix, WhatWasCheckedIsWhatIsRead) {
  PathOpener& paths = LivePaths();
  const auto steps = FollowedSteps(ca_.string(), paths.style());
  ASSERT_TRUE(steps);
  std::vector<std::unique_ptr<OpenedPath>> opened;
  for (const FollowedStep& step : *steps) {
    const bool last = &step == &steps->back();
    if (last) {  // the folder is checked: another one takes its name
      fs::rename(b_, a_ / "moved");
      fs::create_directory(b_);
      Write(ca_, "of a user");
    }
    auto one = paths.Open(opened.empty() ? nullptr : opened.back().get(), step, last);
    ASSERT_TRUE(one) << one.error().message;
    ASSERT_TRUE((*one)->Check(step));
    opened.push_back(*std::move(one));
  }
  fs::rename(a_ / "moved" / "ca.pem", a_ / "old.pem");
  Write(a_ / "moved" / "ca.pem", "of another user");
  EXPECT_EQ(opened.back()->Read(1 << 20), "ours");
}

}  // namespace
}  // namespace prov::machine
