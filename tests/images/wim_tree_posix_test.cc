// WIM files made, read and verified by wimlib's own programs.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "images/tree/file_security.h"
#include "images/tree/wim_tree.h"
#include "provisioner/base/folder.h"
#include "provisioner/base/text.h"
#include "tests/images/image_folder.h"
#include "tests/support/process.h"
#include "tests/support/stop_at_call.h"

namespace prov::images {
namespace {

namespace fs = std::filesystem;
using testing::ImageFolder;
using testing_support::ProcessResult;
using testing_support::RunAndStopAt;
using testing_support::Stopped;

constexpr std::uint64_t kLimit = 1U << 28U;
constexpr const char* kHive = "Windows/System32/config/SYSTEM";

bool HasWimlib() { return testing_support::Run({"sh", "-c", "command -v wimlib-imagex"}).exit == 0; }

#define REQUIRE_WIMLIB() \
  if (!HasWimlib()) GTEST_SKIP() << "NOT RUN: wimlib-imagex is not installed (Debian package: wimtools)"

std::string Wimlib(std::vector<std::string> words) {
  words.insert(words.begin(), "wimlib-imagex");
  const ProcessResult result = testing_support::Run(words);
  EXPECT_EQ(result.exit, 0) << words[1] << ": " << result.err << result.out;
  return result.out;
}

// Text that is worth compressing.
std::string Text(int seed, std::size_t size) {
  std::string out;
  for (unsigned i = 0; out.size() < size; ++i)
    out += std::to_string(i * 2654435761U % 1000 + static_cast<unsigned>(seed)) + " word ";
  out.resize(size);
  return out;
}

// Hundreds of files are made and killed processes lose nothing without a disk.
std::string Memory() { return fs::is_directory("/dev/shm") ? "/dev/shm" : ::testing::TempDir(); }

// A WIM file of a folder with a few hundred files, and a place for more.
class WimSample {
 public:
  explicit WimSample(const std::string& compression = "LZX", const std::vector<std::string>& options = {"--check"},
                     const std::string& where = Memory())
      : files_(where), place_(where) {
    for (int i = 0; i < 200; ++i) {
      files_.Put("Windows/System32/file" + std::to_string(i), Text(i, static_cast<std::size_t>(i) * 37));
    }
    files_.Put(kHive, Text(1, 300000));
    files_.Put("Windows/empty", "");
    fs::create_directory(files_.At("Empty folder"));
    fs::create_hard_link(files_.At("Windows/System32/file7"), files_.At("Windows/hard"));
    fs::create_symlink("System32/file8", files_.At("Windows/link"));
    fs::create_directory_symlink("System32", files_.At("Windows/folder link"));
    std::vector<std::string> words = {"capture", files_.root(), path(), "First", "--compress=" + compression};
    words.insert(words.end(), options.begin(), options.end());
    Wimlib(words);
  }

  std::string path() const { return place_.At("image.wim"); }
  std::string At(const std::string& name) const { return place_.At(name); }

  std::unique_ptr<WimFile> Open(TreeAccess access = TreeAccess::kWrite) const {
    auto file = WimFile::Open(path(), access);
    EXPECT_TRUE(file) << file.error().message;
    return file ? *std::move(file) : nullptr;
  }

  // Everything in an image, as wimlib extracts it: names to contents; folders end in a slash, links hold their target.
  std::map<std::string, std::string> Extract(int index) const {
    const std::string to = place_.At("extracted");
    fs::remove_all(to);
    Wimlib({"apply", path(), std::to_string(index), to});
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(to)) {
      const std::string name = entry.path().lexically_relative(to).generic_string();
      if (entry.is_symlink()) {
        out[name] = "-> " + fs::read_symlink(entry.path()).string();
      } else if (entry.is_directory()) {
        out[name + "/"] = "";
      } else {
        out[name] = ReadFile(entry.path().string(), kLimit).value();
      }
    }
    return out;
  }

  void Verify() const { Wimlib({"verify", path()}); }
  std::string Info() const { return Wimlib({"info", path()}); }
  std::string Detailed(int index, const std::string& name) const {
    const std::string all = Wimlib({"dir", path(), std::to_string(index), "--detailed", "--path=/" + name});
    return all;
  }

 private:
  ImageFolder files_, place_;
};

std::unique_ptr<ImageTree> TreeOf(WimFile& file, int index) {
  auto tree = file.Tree(index);
  EXPECT_TRUE(tree) << tree.error().message;
  return tree ? *std::move(tree) : nullptr;
}

void ExpectOk(const Result<void>& result) {
  EXPECT_TRUE(result) << result.error().message << " at " << result.error().where;
}

// The number behind a word in `wimlib-imagex info`.
long Count(const std::string& info, const std::string& word) {
  const std::size_t at = info.find(word);
  return at == std::string::npos ? -1 : std::atol(info.c_str() + info.find(':', at) + 1);
}

class WimTreeFormats : public ::testing::TestWithParam<const char*> {};

TEST_P(WimTreeFormats, WhatIsChangedIsSeenByWimlibAndNothingElse) {
  REQUIRE_WIMLIB();
  const WimSample wim(GetParam());
  auto expected = wim.Extract(1);
  const std::string before = wim.Info();
  {
    const auto file = wim.Open();
    const auto tree = TreeOf(*file, 1);
    EXPECT_EQ(tree->Read("windows/SYSTEM32/config/system", kLimit).value(), expected[kHive]);
    EXPECT_EQ(tree->ReadStart(kHive, 40000).value(), expected[kHive].substr(0, 40000));
    EXPECT_EQ(tree->Read("Windows/empty", kLimit).value(), "");
    EXPECT_EQ(tree->Read("Windows/none", kLimit).value(), std::nullopt);
    const auto change = [&](const std::string& path, const std::string& bytes) {
      ExpectOk(tree->Write(path, bytes, FileUse::kPlain));
      expected[path] = bytes;
      EXPECT_EQ(tree->Read(path, kLimit).value(), bytes) << "before the commit: " << path;
    };
    change(kHive, Text(5, 400000));
    change("Windows/System32/file3", "");
    change("Windows/empty", "no more");
    change("Windows/System32/file4", expected["Windows/System32/file5"]);
    for (int i = 0; i < 40; ++i) change("ProgramData/ours/deep/er/" + std::to_string(i), Text(i, 5000));
    change("ProgramData/ours/last", "last");
    change("Empty folder/now", "not");
    for (const char* folder :
         {"ProgramData/", "ProgramData/ours/", "ProgramData/ours/deep/", "ProgramData/ours/deep/er/"}) {
      expected[folder] = "";
    }
    for (const char* path : {"Windows/System32/file9", "Windows/System32/file0", "ProgramData/ours/deep/er/39"}) {
      ExpectOk(tree->Remove(path));
      expected.erase(path);
    }
    std::uint64_t last = 0, all = 0;
    ExpectOk(file->Commit([&](std::uint64_t done, std::uint64_t total) {
      EXPECT_GE(done, last);
      last = done, all = total;
    }));
    EXPECT_GT(last, 400000U);
    EXPECT_EQ(last, all);
    EXPECT_EQ(tree->Read(kHive, kLimit).value(), expected[kHive]) << "after the commit";
  }
  wim.Verify();
  EXPECT_EQ(wim.Extract(1), expected);
  const std::string after = wim.Info();
  EXPECT_EQ(after.find("Integrity Info: yes") == std::string::npos,
            before.find("Integrity Info: yes") == std::string::npos);
  EXPECT_EQ(Count(after, "File Count"), Count(before, "File Count") + 41 + 1 - 3);
  EXPECT_EQ(Count(after, "Directory Count"), Count(before, "Directory Count") + 4);
}

TEST_P(WimTreeFormats, WhatWasAddedGoesAgain) {
  REQUIRE_WIMLIB();
  const WimSample wim(GetParam());
  const auto before = wim.Extract(1);
  const std::string info = wim.Info();
  {
    const auto file = wim.Open();
    const auto tree = TreeOf(*file, 1);
    ExpectOk(tree->Write("new/folder/file", "x", FileUse::kSecret));
    ExpectOk(tree->Commit());
    ExpectOk(tree->Remove("NEW/FOLDER/FILE"));
    ExpectOk(tree->RemoveFolderIfEmpty("new"));  // not empty
    ExpectOk(tree->RemoveFolderIfEmpty("new/folder"));
    ExpectOk(tree->RemoveFolderIfEmpty("new"));
    ExpectOk(tree->RemoveFolderIfEmpty("new"));
    ExpectOk(tree->Commit());
  }
  wim.Verify();
  EXPECT_EQ(wim.Extract(1), before);
  for (const char* word : {"File Count", "Directory Count", "Total Bytes"})
    EXPECT_EQ(Count(wim.Info(), word), Count(info, word));
  // wimlib can go on with it.
  Wimlib({"optimize", wim.path()});
  wim.Verify();
  EXPECT_EQ(wim.Extract(1), before);
}

INSTANTIATE_TEST_SUITE_P(All, WimTreeFormats, ::testing::Values("none", "XPRESS", "LZX", "LZMS"));

TEST(WimTree, SeveralImagesInOneCommit) {
  REQUIRE_WIMLIB();
  const WimSample wim("LZX", {"--check", "--boot"});
  Wimlib({"export", wim.path(), "1", wim.path(), "Second & last"});
  const auto before = wim.Extract(1);
  ASSERT_EQ(wim.Extract(2), before);
  {
    const auto file = wim.Open();
    ASSERT_EQ(file->Images().size(), 2U);
    EXPECT_EQ(file->Images()[0].name, "First");
    EXPECT_EQ(file->Images()[1].name, "Second & last");
    const auto first = TreeOf(*file, 1), second = TreeOf(*file, 2);
    ExpectOk(first->Write(kHive, "one", FileUse::kPlain));
    ExpectOk(second->Write(kHive, "two", FileUse::kPlain));
    ExpectOk(second->Commit());
    EXPECT_EQ(file->Tree(3).error().code, Code::kTarget);
    EXPECT_NE(file->Tree(3).error().message.find("it has 2 (1: First, 2: Second & last)"), std::string::npos);
  }
  wim.Verify();
  auto expected = before;
  expected[kHive] = "one";
  EXPECT_EQ(wim.Extract(1), expected);
  expected[kHive] = "two";
  EXPECT_EQ(wim.Extract(2), expected);
  EXPECT_EQ(Count(wim.Info(), "Boot Index"), 1);
  {
    // What both had is still there for the second when the first has it no more.
    const auto tree = OpenWimTree(wim.path(), 1, TreeAccess::kWrite).value();
    ExpectOk(tree->Remove("Windows/System32/file100"));
    ExpectOk(tree->Commit());
  }
  wim.Verify();
  EXPECT_EQ(wim.Extract(2), expected);
  // The header refers to the metadata of the image that is booted.
  const std::string header = Wimlib({"info", "--header", wim.path()});
  const std::string blobs = Wimlib({"info", "--blobs", wim.path()});
  const std::size_t at = header.find("Boot Metadata Offset");
  const std::string offset = header.substr(header.find('=', at) + 2, header.find('\n', at) - header.find('=', at) - 2);
  EXPECT_NE(blobs.find("Offset in WIM     = " + offset + " bytes"), std::string::npos) << offset;
}

TEST(WimTree, DescriptorsAreSetAndKept) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  const auto descriptor = [&](const std::string& name) {
    const std::string all = wim.Detailed(1, name);
    const std::size_t at = all.find("Security Descriptor");
    return at == std::string::npos ? "" : all.substr(all.find("= ", at), all.find('\n', at) - all.find("= ", at));
  };
  const auto write = [&](const std::string& name, const std::string& bytes, FileUse use) {
    const auto tree = OpenWimTree(wim.path(), 1, TreeAccess::kWrite).value();
    EXPECT_TRUE(tree->CanProtect());
    ExpectOk(tree->Write(name, bytes, use));
    ExpectOk(tree->Commit());
  };
  write("secret/file", "1", FileUse::kSecret);
  write("plain/file", "1", FileUse::kPlain);
  const std::string secret = descriptor("secret/file"), plain = descriptor("plain/file");
  EXPECT_NE(secret.find(ToHex(FileDescriptor(FileUse::kSecret))), std::string::npos) << wim.Detailed(1, "secret/file");
  EXPECT_NE(plain.find(ToHex(FileDescriptor(FileUse::kPlain))), std::string::npos) << plain;
  EXPECT_NE(descriptor("secret").find(ToHex(FolderDescriptor(FileUse::kSecret))), std::string::npos);
  write("SECRET/FILE", "2", FileUse::kPlain);
  EXPECT_EQ(descriptor("secret/file"), secret) << "as it was";
  EXPECT_EQ(wim.Extract(1)["secret/file"], "2");
  wim.Verify();
}

TEST(WimTree, LinksAreRefusedAndHardLinksLeftAlone) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  auto expected = wim.Extract(1);
  {
    const auto tree = OpenWimTree(wim.path(), 1, TreeAccess::kWrite).value();
    for (const char* path : {"Windows/link", "Windows/folder link", "Windows/folder link/file1", "Windows/../x"}) {
      EXPECT_EQ(tree->Read(path, kLimit).error().code, Code::kLink) << path;
      EXPECT_EQ(tree->Write(path, "", FileUse::kPlain).error().code, Code::kLink) << path;
      EXPECT_EQ(tree->Remove(path).error().code, Code::kLink) << path;
    }
    EXPECT_EQ(tree->Write("Windows", "", FileUse::kPlain).error().code, Code::kTarget);
    EXPECT_EQ(tree->Remove("Windows").error().code, Code::kTarget);
    EXPECT_EQ(tree->Read("Windows/empty/below", kLimit).error().code, Code::kTarget);
    EXPECT_EQ(tree->Read(kHive, 10).error().code, Code::kTooLarge);
    EXPECT_EQ(tree->Read("Windows/hard", kLimit).value(), expected["Windows/hard"]);
    ExpectOk(tree->Write("Windows/hard", "alone", FileUse::kPlain));
    ExpectOk(tree->Commit());
  }
  expected["Windows/hard"] = "alone";
  EXPECT_EQ(wim.Extract(1), expected) << "its other name has the old contents";
  wim.Verify();
}

TEST(WimTree, TwoSpellings) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  ASSERT_TRUE(WriteNewFile(wim.At("other"), "other", 0600));
  const ProcessResult added = testing_support::Run(
      {"wimlib-imagex", "update", wim.path(), "1", "--command", "add '" + wim.At("other") + "' '/Windows/EMPTY'"}, "",
      {{"WIMLIB_IMAGEX_IGNORE_CASE", "0"}});
  ASSERT_EQ(added.exit, 0) << added.err;
  const auto tree = OpenWimTree(wim.path(), 1, TreeAccess::kRead).value();
  EXPECT_EQ(tree->Read("Windows/empty", kLimit).error().code, Code::kLink);
}

TEST(WimTree, WhatCannotBeUsedIsRefused) {
  REQUIRE_WIMLIB();
  const auto code = [](const std::string& path, TreeAccess access) {
    const auto file = WimFile::Open(path, access);
    return file ? "opened" : std::string(InfoOf(file.error().code).name) + ": " + file.error().message;
  };
  const WimSample wim;
  EXPECT_EQ(code(wim.At("none"), TreeAccess::kRead).substr(0, 7), "target:");
  EXPECT_EQ(code(wim.At("."), TreeAccess::kRead).substr(0, 7), "target:");
  ASSERT_TRUE(WriteNewFile(wim.At("text"), std::string(1000, 'x'), 0600));
  EXPECT_NE(code(wim.At("text"), TreeAccess::kRead).find("no WIM"), std::string::npos);
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
  Wimlib({"optimize", wim.At("unfinished.wim")});
  EXPECT_EQ(code(wim.At("unfinished.wim"), TreeAccess::kWrite), "opened") << "as the message says";
  std::string read_only = whole;
  read_only[16] = static_cast<char>(read_only[16] | 0x04);
  ASSERT_TRUE(WriteNewFile(wim.At("read-only.wim"), read_only, 0600));
  EXPECT_EQ(code(wim.At("read-only.wim"), TreeAccess::kRead), "opened");
  EXPECT_NE(code(wim.At("read-only.wim"), TreeAccess::kWrite).find("export FILE all"), std::string::npos);
  Wimlib({"export", wim.At("read-only.wim"), "all", wim.At("writable.wim")});
  EXPECT_EQ(code(wim.At("writable.wim"), TreeAccess::kWrite), "opened") << "as the message says";
}

TEST(WimTree, NoWindowsIsRefused) {
  REQUIRE_WIMLIB();
  const ImageFolder place;
  place.Put("files/a", "b");
  Wimlib({"capture", place.At("files"), place.At("image.wim")});
  EXPECT_EQ(OpenWimTree(place.At("image.wim"), 1, TreeAccess::kRead).error().code, Code::kTarget);
}

TEST(WimTree, OneWriterAtATime) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  const auto first = wim.Open();
  EXPECT_EQ(WimFile::Open(wim.path(), TreeAccess::kWrite).error().code, Code::kLock);
  EXPECT_TRUE(WimFile::Open(wim.path(), TreeAccess::kRead));
  EXPECT_NE(
      testing_support::Run({"wimlib-imagex", "update", wim.path(), "1", "--command", "delete /Windows/empty"}).exit, 0);
}

TEST(WimTree, AReaderCannotWrite) {
  REQUIRE_WIMLIB();
  const WimSample wim;
  const auto tree = OpenWimTree(wim.path(), 1, TreeAccess::kRead).value();
  EXPECT_EQ(tree->Write("x", "", FileUse::kPlain).error().code, Code::kInternal);
  EXPECT_EQ(tree->Remove("x").error().code, Code::kInternal);
  const std::string before = ReadFile(wim.path(), kLimit).value();
  ExpectOk(tree->Commit());
  EXPECT_EQ(ReadFile(wim.path(), kLimit).value(), before);
}

TEST(WimTree, KilledAtAnyCall) {
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

TEST(WimTree, WhatAKilledRunLeftBehindIsUsedAgain) {
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

TEST(WimTree, DamageIsAnErrorAndNothingElse) {
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
