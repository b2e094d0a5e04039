// Folders that are hostile, full, mounted from NTFS, or left behind by a killed run.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>

#include "images/registry/descriptor.h"
#include "images/registry/security.h"
#include "images/tree/file_attributes_posix.h"
#include "images/tree/file_security.h"
#include "images/tree/folder_tree.h"
#include "provisioner/base/text.h"
#include "tests/images/image_folder.h"
#include "tests/support/process.h"
#include "tests/support/stop_at_call.h"
#include "tests/support/umask.h"

namespace prov::images {
namespace {

namespace fs = std::filesystem;
using testing::ImageFolder;
using testing::kLimit;
using testing::OpenTree;
using testing_support::ModeOf;
using testing_support::RunAndStopAt;
using testing_support::Stopped;

std::string Attribute(const std::string& path, const char* name) {
  std::string value(65536, '\0');
  const ssize_t size = getxattr(path.c_str(), name, value.data(), value.size());
  return size < 0 ? "(none)" : value.substr(0, static_cast<std::size_t>(size));
}

void ExpectLinkRefused(ImageTree& tree, const std::string& path) {
  const auto read = tree.Read(path, kLimit);
  ASSERT_FALSE(read) << path;
  EXPECT_EQ(read.error().code, Code::kLink) << read.error().message;
  EXPECT_EQ(tree.Write(path, "ours", FileUse::kPlain).error().code, Code::kLink) << path;
  EXPECT_EQ(tree.Remove(path).error().code, Code::kLink) << path;
  EXPECT_EQ(tree.RemoveFolderIfEmpty(path).error().code, Code::kLink) << path;
  EXPECT_FALSE(tree.IsFile(path)) << path;
  EXPECT_FALSE(tree.IsFolder(path)) << path;
}

TEST(FolderTreeHostile, NoLinkIsFollowed) {
  const ImageFolder image, outside;
  outside.Put("Windows/target", "outside");
  image.Put("Windows/inside/file", "inside");
  fs::create_symlink(outside.At("Windows/target"), image.At("Windows/file"));
  fs::create_symlink("inside/file", image.At("Windows/within"));
  fs::create_symlink("/nowhere/at/all", image.At("Windows/dangling"));
  fs::create_symlink("../../../../../../../../etc/passwd", image.At("Windows/upwards"));
  fs::create_directory_symlink(outside.At("Windows"), image.At("Windows/folder"));
  fs::create_directory_symlink("inside", image.At("Windows/folder2"));
  const auto tree = OpenTree(image.root());
  for (const char* path : {"Windows/file", "Windows/within", "Windows/dangling", "Windows/upwards", "Windows/folder",
                           "Windows/folder/target", "Windows/folder/new", "Windows/folder/new/new",
                           "Windows/folder2/file", "WINDOWS/FOLDER/TARGET"}) {
    ExpectLinkRefused(*tree, path);
  }
  EXPECT_EQ(outside.Get("Windows/target"), "outside");
  EXPECT_EQ(outside.Entries(), "Windows/ Windows/System32/ Windows/System32/config/ Windows/target");
}

TEST(FolderTreeHostile, ALinkInThePlaceOfTheTemporaryFile) {
  const ImageFolder image, outside;
  outside.Put("Windows/target", "outside");
  fs::create_symlink(outside.At("Windows/target"), image.At("Windows/" + std::string(kTemporaryName)));
  const auto tree = OpenTree(image.root());
  ASSERT_TRUE(tree->Write("Windows/new", "ours", FileUse::kPlain));
  EXPECT_EQ(outside.Get("Windows/target"), "outside");
  EXPECT_EQ(image.Get("Windows/new"), "ours");
}

TEST(FolderTreeHostile, AWindowsThatIsALink) {
  const ImageFolder image, outside;
  fs::remove_all(image.At("Windows"));
  fs::create_directory_symlink(outside.At("Windows"), image.At("Windows"));
  EXPECT_EQ(OpenFolderTree(image.root(), TreeAccess::kWrite).error().code, Code::kLink);
}

TEST(FolderTreeHostile, NeitherPipesNorSockets) {
  const ImageFolder image;
  ASSERT_EQ(mkfifo(image.At("Windows/pipe").c_str(), 0600), 0);
  const auto tree = OpenTree(image.root());
  ExpectLinkRefused(*tree, "Windows/pipe");  // opening it to read would wait for ever
  if (mknod(image.At("Windows/device").c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0) {
    ExpectLinkRefused(*tree, "Windows/device");
  }
}

TEST(FolderTreeHostile, TwoSpellings) {
  const ImageFolder image;
  image.Put("Windows/SYSTEM", "1");
  image.Put("Windows/system", "2");
  const auto tree = OpenTree(image.root());
  for (const char* path : {"Windows/SYSTEM", "Windows/system", "Windows/System"}) ExpectLinkRefused(*tree, path);
}

TEST(FolderTreeHostile, AHardLinkIsLeftAlone) {
  const ImageFolder image, outside;
  outside.Put("Windows/target", "outside");
  fs::create_hard_link(outside.At("Windows/target"), image.At("Windows/file"));
  const auto tree = OpenTree(image.root());
  ASSERT_TRUE(tree->Write("Windows/file", "ours", FileUse::kPlain));
  EXPECT_EQ(image.Get("Windows/file"), "ours");
  EXPECT_EQ(outside.Get("Windows/target"), "outside");
}

TEST(FolderTreeHostile, AHugeFileCostsNothing) {
  const ImageFolder image;
  image.Put("Windows/huge", "hibr");
  ASSERT_EQ(truncate(image.At("Windows/huge").c_str(), off_t{1} << 40U), 0);
  const auto tree = OpenTree(image.root());
  EXPECT_EQ(tree->Read("Windows/huge", kLimit).error().code, Code::kTooLarge);
  EXPECT_EQ(tree->ReadStart("Windows/huge", 4).value(), "hibr");
}

TEST(FolderTreePosix, WhatIsEditedKeepsItsAttributes) {
  const ImageFolder image;
  image.Put("Windows/file", "old");
  const std::string path = image.At("Windows/file");
  ASSERT_EQ(chmod(path.c_str(), 04751), 0);
  const bool has_user = setxattr(path.c_str(), "user.one", "1\0\xff", 3, 0) == 0;
  const bool root = geteuid() == 0;
  if (root) {
    ASSERT_EQ(chown(path.c_str(), 12, 34), 0);
    ASSERT_EQ(chmod(path.c_str(), 04751), 0);
    ASSERT_EQ(setxattr(path.c_str(), "trusted.two", "2", 1, 0), 0);
  }
  const auto tree = OpenTree(image.root());
  EXPECT_TRUE(tree->IsMadeFor("Windows/file", FileUse::kEdited).value());
  ASSERT_TRUE(tree->Write("Windows/file", "new", FileUse::kEdited));
  EXPECT_EQ(image.Get("Windows/file"), "new");
  EXPECT_EQ(ModeOf(path), 04751U);
  if (has_user) {
    EXPECT_EQ(Attribute(path, "user.one"), std::string("1\0\xff", 3));
  }
  struct stat info{};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  if (root) {
    EXPECT_EQ(info.st_uid, 12U);
    EXPECT_EQ(info.st_gid, 34U);
    EXPECT_EQ(Attribute(path, "trusted.two"), "2");
  }
  if (!has_user || !root)
    GTEST_SKIP() << "NOT RUN in part: owners and trusted.* need root, user.* a file system with them";
}

TEST(FolderTreePosix, WhatIsOursIsAsClosedAsItShallBeWhateverWasThere) {
  const ImageFolder image;
  const auto tree = OpenTree(image.root());
  const std::string path = image.At("Windows/ours/file"), folder = image.At("Windows/ours");
  const uid_t other = geteuid() == 0 ? 1000 : geteuid();  // only root can give files away
  for (const FileUse use : {FileUse::kSecret, FileUse::kPlain}) {
    for (const mode_t mode : {0644U, 0600U, 0777U}) {
      image.Put("Windows/ours/file", "planted");
      ASSERT_EQ(chmod(path.c_str(), mode), 0);
      ASSERT_EQ(lchown(path.c_str(), other, getegid()), 0);
      const bool as_wanted = geteuid() != 0 && mode == (use == FileUse::kSecret ? 0600U : 0644U);
      EXPECT_EQ(tree->IsMadeFor("Windows/ours/file", use).value(), as_wanted) << mode;
      ASSERT_TRUE(tree->Write("Windows/ours/file", "planted", use)) << "the same contents are no reason to keep it";
      EXPECT_EQ(ModeOf(path), use == FileUse::kSecret ? 0600U : 0644U) << mode;
      struct stat info{};
      ASSERT_EQ(stat(path.c_str(), &info), 0);
      EXPECT_EQ(info.st_uid, geteuid()) << mode;
      EXPECT_TRUE(tree->IsMadeFor("Windows/ours/file", use).value());
    }
    ASSERT_EQ(chmod(folder.c_str(), 01777), 0);
    ASSERT_EQ(lchown(folder.c_str(), other, getegid()), 0);
    EXPECT_FALSE(tree->IsMadeFor("Windows/ours", use).value());
    ASSERT_TRUE(tree->SecureFolder("windows/OURS", use));
    EXPECT_EQ(ModeOf(folder), use == FileUse::kSecret ? 0700U : 0755U);
    struct stat info{};
    ASSERT_EQ(stat(folder.c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, geteuid());
    EXPECT_TRUE(tree->IsMadeFor("Windows/ours", use).value());
  }
  EXPECT_TRUE(tree->SecureFolder("Windows/none", FileUse::kPlain)) << "there is nothing to do";
  EXPECT_TRUE(tree->IsMadeFor("Windows/none", FileUse::kSecret).value());
  EXPECT_EQ(tree->SecureFolder("Windows/ours/file", FileUse::kPlain).error().code, Code::kTarget);
}

TEST(FolderTreePosix, WhoeverOwnsTheImageMayOwnWhatIsOurs) {
  if (geteuid() != 0) GTEST_SKIP() << "NOT RUN: another owner needs root";
  const ImageFolder image;
  ASSERT_EQ(lchown(image.root().c_str(), 1000, 1000), 0);
  image.Put("Windows/ours/file", "");
  ASSERT_EQ(lchown(image.At("Windows/ours/file").c_str(), 1000, 1000), 0);
  EXPECT_TRUE(OpenTree(image.root())->IsMadeFor("Windows/ours/file", FileUse::kPlain).value());
  ASSERT_EQ(lchown(image.At("Windows/ours/file").c_str(), 1001, 1001), 0);
  EXPECT_FALSE(OpenTree(image.root())->IsMadeFor("Windows/ours/file", FileUse::kPlain).value());
}

TEST(FolderTreePosix, NewFilesAreAsOpenAsTheyMayBe) {
  const ImageFolder image;
  const auto tree = OpenTree(image.root());
  ASSERT_TRUE(tree->Write("Windows/secret/deep/file", "", FileUse::kSecret));
  ASSERT_TRUE(tree->Write("Windows/plain/file", "", FileUse::kPlain));
  EXPECT_EQ(ModeOf(image.At("Windows/secret")), 0700U);
  EXPECT_EQ(ModeOf(image.At("Windows/secret/deep")), 0700U);
  EXPECT_EQ(ModeOf(image.At("Windows/secret/deep/file")), 0600U);
  EXPECT_EQ(ModeOf(image.At("Windows/plain")), 0755U);
  EXPECT_EQ(ModeOf(image.At("Windows/plain/file")), 0644U);
  EXPECT_FALSE(tree->CanProtect()) << "modes mean nothing to Windows";
}

TEST(FolderTreePosix, ReadersNeedNoRightToWrite) {
  const ImageFolder image;
  ASSERT_EQ(chmod(image.root().c_str(), 0555), 0);
  EXPECT_TRUE(OpenFolderTree(image.root(), TreeAccess::kRead));
  ASSERT_EQ(chmod(image.root().c_str(), 0755), 0);
}

// Stops at every system call of `change`; what is there afterwards is one of `states`, both are seen, and the next run
// leaves the second.
void StopEverywhere(const std::function<void(const ImageFolder&)>& prepare,
                    const std::function<Result<void>(ImageTree&)>& change, const std::vector<std::string>& states) {
  std::vector<std::size_t> seen(states.size());
  // In memory where that can be: there are hundreds of runs, and a killed process needs no disk to lose nothing.
  const std::string where = fs::is_directory("/dev/shm") ? "/dev/shm" : ::testing::TempDir();
  for (std::size_t call = 0;; ++call) {
    const ImageFolder image(where);
    prepare(image);
    const Stopped stopped = RunAndStopAt(call, [&] {
      auto tree = OpenFolderTree(image.root(), TreeAccess::kWrite);
      return tree && change(**tree);
    });
    const auto tree = OpenTree(image.root());
    std::string state;
    for (const char* path : {"Windows/System32/config/SYSTEM", "Windows/new/folder/file"}) {
      state += tree->Read(path, kLimit).value().value_or("-").substr(0, 3) + " ";
    }
    const auto found = std::ranges::find(states, state);
    ASSERT_NE(found, states.end()) << "after call " << call << ": " << state;
    ++seen[static_cast<std::size_t>(found - states.begin())];
    ASSERT_TRUE(change(*tree)) << "after call " << call;
    EXPECT_EQ(image.Entries().find(kTemporaryName), std::string::npos) << "after call " << call << image.Entries();
    if (stopped == Stopped::kFinished) break;
    ASSERT_LT(call, 2000U);
  }
  for (std::size_t i = 0; i < states.size(); ++i) EXPECT_GT(seen[i], 0U) << states[i];
}

const std::string kOld(100000, 'o');
const std::string kNew(5000000, 'n');

TEST(FolderTreeKilled, ReplacingAFile) {
  StopEverywhere([](const ImageFolder& image) { image.Put("Windows/System32/config/SYSTEM", kOld); },
                 [](ImageTree& tree) { return tree.Write("Windows/System32/config/SYSTEM", kNew, FileUse::kPlain); },
                 {"ooo - ", "nnn - "});
}

TEST(FolderTreeKilled, MakingFoldersAndAFile) {
  StopEverywhere([](const ImageFolder&) {},
                 [](ImageTree& tree) { return tree.Write("Windows/new/folder/file", kNew, FileUse::kSecret); },
                 {"- - ", "- nnn "});
}

TEST(FolderTreeKilled, Removing) {
  StopEverywhere([](const ImageFolder& image) { image.Put("Windows/new/folder/file", kOld); },
                 [](ImageTree& tree) -> Result<void> {
                   PROV_TRY(tree.Remove("Windows/new/folder/file"));
                   return tree.RemoveFolderIfEmpty("Windows/new/folder");
                 },
                 {"- ooo ", "- - "});
}

// A mount that goes away with the object.
class Mount {
 public:
  explicit Mount(std::string folder) : folder_(std::move(folder)) {}
  ~Mount() { umount2(folder_.c_str(), MNT_DETACH); }
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

 private:
  std::string folder_;
};

// In a child with mounts of its own, so that nobody else sees them and they go with it. 77: can't be tried here.
int InOwnMounts(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    const bool own = unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    _exit(own ? body() : 77);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

TEST(FolderTreePosix, AFullVolumeIsSeenBeforeAnythingIsWritten) {
  const ImageFolder image;
  const int result = InOwnMounts([&] {
    if (mount("tmpfs", image.root().c_str(), "tmpfs", 0, "size=1m") != 0) return 77;
    fs::create_directories(image.At("Windows/System32/config"));
    const auto tree = OpenTree(image.root());
    EXPECT_TRUE(tree->Write("Windows/file", "old", FileUse::kPlain));
    const auto full = tree->Write("Windows/file", std::string(2U << 20U, 'x'), FileUse::kPlain);
    EXPECT_FALSE(full);
    EXPECT_EQ(full.error().code, Code::kTarget);
    EXPECT_NE(full.error().message.find("needs 2097152 bytes"), std::string::npos) << full.error().message;
    EXPECT_EQ(image.Get("Windows/file"), "old");
    EXPECT_EQ(image.Entries(), "Windows/ Windows/System32/ Windows/System32/config/ Windows/file");
    if (mount(nullptr, image.root().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0) {
      EXPECT_TRUE(OpenFolderTree(image.root(), TreeAccess::kRead));
      const auto write = OpenFolderTree(image.root(), TreeAccess::kWrite);
      EXPECT_FALSE(write);
      EXPECT_EQ(write.error().code, Code::kTarget);
      EXPECT_TRUE(OpenFolderTree(image.root(), TreeAccess::kPlan)) << "a mount says nothing about its image";
    }
    return ::testing::Test::HasFailure() ? 1 : 0;
  });
  if (result == 77) GTEST_SKIP() << "NOT RUN: a small volume needs the right to mount (root)";
  EXPECT_EQ(result, 0);
}

TEST(FolderTreePosix, FatIsRefusedBeforeAnythingIsWritten) {
  for (const std::uint64_t type : {std::uint64_t{0x4d44}, std::uint64_t{0x2011BAB0}}) {
    const auto refused = RefuseFat(type, "here");
    ASSERT_FALSE(refused) << type;
    EXPECT_EQ(refused.error().code, Code::kTarget);
    EXPECT_NE(refused.error().message.find("FAT"), std::string::npos);
    EXPECT_EQ(refused.error().where, "here");
  }
  for (const std::uint64_t type : {std::uint64_t{0xEF53}, std::uint64_t{0x01021994}, std::uint64_t{0x65735546}}) {
    EXPECT_TRUE(RefuseFat(type, "here")) << "ext4, tmpfs, FUSE";
  }
}

TEST(FolderTreePosix, NtfsKeepsItsDescriptors) {
  const ImageFolder image;
  const std::string volume = image.At("volume"), folder = image.At("mounted");
  fs::create_directory(folder);
  image.Put("volume", std::string(16U << 20U, '\0'));
  const int result = InOwnMounts([&] {
    if (testing_support::Run({"mkntfs", "-F", "-q", volume}).exit != 0) return 77;
    if (testing_support::Run({"ntfs-3g", volume, folder}).exit != 0) return 77;
    const Mount mounted(folder);
    fs::create_directories(folder + "/Windows/System32/config");
    const std::string hive = folder + "/Windows/System32/config/SYSTEM";
    EXPECT_TRUE(WriteNewFile(hive, "old", 0644));
    // Hidden, system, archive; and a descriptor of its own.
    const std::string descriptor = FileDescriptor(FileUse::kSecret);
    EXPECT_EQ(setxattr(hive.c_str(), "system.ntfs_acl", descriptor.data(), descriptor.size(), 0), 0);
    EXPECT_EQ(setxattr(hive.c_str(), "system.ntfs_attrib", "\x26\0\0\0", 4, 0), 0);
    const std::string acl = Attribute(hive, "system.ntfs_acl"), created = Attribute(hive, "system.ntfs_crtime");
    const auto tree = OpenTree(folder);
    EXPECT_TRUE(tree->CanProtect());
    const auto written = tree->Write("windows/SYSTEM32/config/system", "new", FileUse::kEdited);
    EXPECT_TRUE(written) << written.error().message;
    EXPECT_EQ(Attribute(hive, "system.ntfs_acl"), acl);
    EXPECT_EQ(Attribute(hive, "system.ntfs_attrib"), std::string("\x26\0\0\0", 4));
    EXPECT_EQ(Attribute(hive, "system.ntfs_crtime"), created);
    EXPECT_EQ(tree->Read("Windows/System32/config/SYSTEM", kLimit).value(), "new");
    // What is new gets the one that is asked for.
    EXPECT_TRUE(tree->Write("ProgramData/ours/secret", "s", FileUse::kSecret));
    EXPECT_TRUE(tree->Write("ProgramData/ours/plain", "p", FileUse::kPlain));
    EXPECT_EQ(Attribute(folder + "/ProgramData/ours/secret", "system.ntfs_acl"), acl) << "that of the file above";
    EXPECT_NE(Attribute(folder + "/ProgramData/ours/plain", "system.ntfs_acl"), acl);
    EXPECT_TRUE(IsSecurityDescriptor(Attribute(folder + "/ProgramData/ours", "system.ntfs_acl")));
    EXPECT_EQ(tree->Security("programdata/OURS/secret").value(), acl);
    const auto seen = TextOf(tree->Security("ProgramData/ours").value().value_or(""));
    EXPECT_TRUE(seen);
    EXPECT_EQ(seen->owner, "S-1-5-32-544");
    EXPECT_EQ(seen->dacl, "D:(A;;0x1f01ff;;;S-1-5-18)(A;;0x1f01ff;;;S-1-5-32-544)");
    EXPECT_EQ(tree->Security("ProgramData/nothing").value(), std::nullopt);
    // What is ours gets ours, whatever was there.
    const std::string planted = folder + "/ProgramData/ours/secret";
    const std::string wide = AdministratorsDescriptor({{Grant::Who::kUsers, 3, 0x001F01FF}}, false);
    for (const std::string& path : {planted, folder + "/ProgramData/ours"}) {
      EXPECT_EQ(setxattr(path.c_str(), "system.ntfs_acl", wide.data(), wide.size(), 0), 0) << path;
    }
    EXPECT_FALSE(tree->IsMadeFor("ProgramData/ours/secret", FileUse::kSecret).value());
    EXPECT_FALSE(tree->IsMadeFor("ProgramData/ours", FileUse::kSecret).value());
    EXPECT_TRUE(tree->Write("ProgramData/ours/secret", "s", FileUse::kSecret));
    EXPECT_TRUE(tree->SecureFolder("ProgramData/ours", FileUse::kSecret));
    EXPECT_TRUE(tree->IsMadeFor("ProgramData/ours/secret", FileUse::kSecret).value());
    EXPECT_TRUE(tree->IsMadeFor("ProgramData/ours", FileUse::kSecret).value());
    EXPECT_FALSE(tree->IsMadeFor("ProgramData/ours/secret", FileUse::kPlain).value());
    EXPECT_EQ(Attribute(planted, "system.ntfs_acl"), acl);
    return ::testing::Test::HasFailure() ? 1 : 0;
  });
  if (result == 77) GTEST_SKIP() << "NOT RUN: NTFS needs ntfs-3g (Debian: ntfs-3g), /dev/fuse and root";
  EXPECT_EQ(result, 0);
}

TEST(FileSecurity, IsWellFormed) {
  for (const FileUse use : {FileUse::kPlain, FileUse::kSecret}) {
    EXPECT_TRUE(IsSecurityDescriptor(FileDescriptor(use)));
    EXPECT_TRUE(IsSecurityDescriptor(FolderDescriptor(use)));
  }
  EXPECT_TRUE(HasSameAccess(FileDescriptor(FileUse::kSecret), FileDescriptor(FileUse::kSecret)));
  EXPECT_FALSE(HasSameAccess(FileDescriptor(FileUse::kPlain), FileDescriptor(FileUse::kSecret)));
  EXPECT_FALSE(HasSameAccess(FolderDescriptor(FileUse::kSecret), FileDescriptor(FileUse::kSecret))) << "who inherits";
  EXPECT_FALSE(HasSameAccess("", FileDescriptor(FileUse::kSecret)));
  std::string other = FileDescriptor(FileUse::kSecret);
  other[3] = static_cast<char>(0x84);  // not protected, but SE_DACL_AUTO_INHERITED
  EXPECT_FALSE(HasSameAccess(other, FileDescriptor(FileUse::kSecret)));
  other[3] = static_cast<char>(0x94);
  EXPECT_TRUE(HasSameAccess(other, FileDescriptor(FileUse::kSecret))) << "Windows' own bit";
  other[0x48 + 12] = 0x21;  // S-1-5-32-545 owns it
  EXPECT_FALSE(HasSameAccess(other, FileDescriptor(FileUse::kSecret)));
  // O:BAG:BAD:P(A;;FA;;;SY)(A;;FA;;;BA), as Windows writes it.
  EXPECT_EQ(ToHex(FileDescriptor(FileUse::kSecret)),
            "01000490480000005800000000000000140000000200340002000000"
            "00001400ff011f00010100000000000512000000"
            "00001800ff011f0001020000000000052000000020020000"
            "01020000000000052000000020020000"
            "01020000000000052000000020020000");
}

}  // namespace
}  // namespace prov::images
