#include "images/tree/file_security.h"
#include "images/tree/wim_tree.h"
#include "provisioner/base/text.h"
#include "tests/images/wim_sample.h"

namespace prov::images {
namespace {

using testing::ExpectOk;
using testing::HasWimlib;
using testing::kHive;
using testing::kLimit;
using testing::OpenWimTree;
using testing::Text;
using testing::TreeOf;
using testing::Wimlib;
using testing::WimSample;
using testing_support::ProcessResult;

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
      return Result<void>();
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
  write("SECRET/FILE", "2", FileUse::kEdited);
  EXPECT_EQ(descriptor("secret/file"), secret) << "as it was";
  EXPECT_EQ(wim.Extract(1)["secret/file"], "2");
  wim.Verify();
  // What is ours gets ours, whatever was there.
  write("secret/file", "2", FileUse::kPlain);
  EXPECT_EQ(descriptor("secret/file"), plain);
  write("secret/file", "3", FileUse::kSecret);
  EXPECT_EQ(descriptor("secret/file"), secret);
  write("Windows/System32/file1", "of nobody", FileUse::kSecret);
  EXPECT_EQ(descriptor("Windows/System32/file1"), secret);
  EXPECT_EQ(wim.Extract(1)["Windows/System32/file1"], "of nobody");
  EXPECT_EQ(wim.Extract(1)["secret/file"], "3");
  {
    const auto tree = OpenWimTree(wim.path(), 1, TreeAccess::kWrite).value();
    EXPECT_FALSE(tree->IsMadeFor("Windows/System32", FileUse::kPlain).value());
    EXPECT_FALSE(tree->IsMadeFor("plain", FileUse::kSecret).value());
    EXPECT_TRUE(tree->IsMadeFor("plain", FileUse::kPlain).value());
    EXPECT_FALSE(tree->IsMadeFor("plain/file", FileUse::kSecret).value());
    EXPECT_TRUE(tree->IsMadeFor("none", FileUse::kSecret).value());
    EXPECT_TRUE(tree->IsMadeFor("plain/file", FileUse::kEdited).value());
    ExpectOk(tree->SecureFolder("Windows/System32", FileUse::kPlain));
    ExpectOk(tree->SecureFolder("plain", FileUse::kSecret));
    ExpectOk(tree->SecureFolder("none", FileUse::kSecret));
    EXPECT_EQ(tree->SecureFolder("plain/file", FileUse::kSecret).error().code, Code::kTarget);
    ExpectOk(tree->Commit());
    EXPECT_TRUE(tree->IsMadeFor("Windows/System32", FileUse::kPlain).value());
  }
  EXPECT_NE(descriptor("Windows/System32").find(ToHex(FolderDescriptor(FileUse::kPlain))), std::string::npos);
  EXPECT_NE(descriptor("plain").find(ToHex(FolderDescriptor(FileUse::kSecret))), std::string::npos);
  EXPECT_EQ(descriptor("plain/file"), plain) << "what is in it keeps its own";
  wim.Verify();
  const auto tree = OpenWimTree(wim.path(), 1, TreeAccess::kRead).value();
  EXPECT_EQ(tree->Security("secret/FILE").value(), FileDescriptor(FileUse::kSecret));
  EXPECT_EQ(tree->Security("secret").value(), FolderDescriptor(FileUse::kSecret));
  EXPECT_EQ(tree->Security("plain/file").value(), FileDescriptor(FileUse::kPlain));
  EXPECT_EQ(tree->Security("Windows/empty").value(), std::nullopt) << "captured from files that have none";
  EXPECT_EQ(tree->Security("none").value(), std::nullopt);
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

}  // namespace
}  // namespace prov::images
