// The ports' tests on the machine that runs them: below keys of their own and with throw-away certificates, all of
// which they remove again.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "images/tree/folder_tree.h"
#include "provisioner/machine/live_machine.h"
#include "provisioner/machine/windows_calls.h"
#include "tests/machine/ports_suite.h"

namespace prov::machine {
namespace {

namespace fs = std::filesystem;

void CloseStore(HCERTSTORE store) { CertCloseStore(store, 0); }
using OpenedStore = Owned<HCERTSTORE, &CloseStore>;
using Context = Owned<PCCERT_CONTEXT, &CertFreeCertificateContext>;

std::string TestFolder() { return *DefaultStateFolder() + "Test"; }

OpenedStore OpenPhysical(const wchar_t* name, DWORD location) {
  OpenedStore store(CertOpenStore(CERT_STORE_PROV_SYSTEM_REGISTRY_W, 0, 0, location, name));
  EXPECT_TRUE(store) << GetLastError();
  return store;
}

void Put(const wchar_t* name, DWORD location, const std::string& der) {
  const OpenedStore store = OpenPhysical(name, location);
  EXPECT_TRUE(CertAddEncodedCertificateToStore(store.get(), X509_ASN_ENCODING,
                                               reinterpret_cast<const BYTE*>(der.data()),
                                               static_cast<DWORD>(der.size()), CERT_STORE_ADD_NEW, nullptr))
      << GetLastError();
  EXPECT_TRUE(CertControlStore(store.get(), 0, CERT_STORE_CTRL_COMMIT, nullptr));
}

void Take(const wchar_t* name, DWORD location, const std::string& der) {
  const OpenedStore store = OpenPhysical(name, location);
  const Context wanted(CertCreateCertificateContext(X509_ASN_ENCODING, reinterpret_cast<const BYTE*>(der.data()),
                                                    static_cast<DWORD>(der.size())));
  Context found(
      CertFindCertificateInStore(store.get(), X509_ASN_ENCODING, 0, CERT_FIND_EXISTING, wanted.get(), nullptr));
  if (found) CertDeleteCertificateFromStore(found.Release());
  CertControlStore(store.get(), 0, CERT_STORE_CTRL_COMMIT, nullptr);
}

class LiveSpecimen final : public Specimen {
 public:
  LiveSpecimen() {
    CleanUp();
    Reopen();
  }
  ~LiveSpecimen() override {
    machine_.reset();
    CleanUp();
  }

  Machine Ports() override { return machine_->Ports(); }
  bool HasFileRights() const override { return !win32::RunsUnderWine(); }
  void Reopen() override {
    machine_.reset();
    auto opened = OpenLiveMachine(TestFolder(), Access::kWrite);
    ASSERT_TRUE(opened) << opened.error().message << " " << opened.error().where;
    machine_ = *std::move(opened);
  }
  void PutDisallowed(const std::string& der) override { Put(L"Disallowed", CERT_SYSTEM_STORE_LOCAL_MACHINE, der); }
  bool PutForeign(pki::Store store, const std::string& der) override {
    Put(store == pki::Store::kRoot ? L"ROOT" : L"CA", CERT_SYSTEM_STORE_LOCAL_MACHINE_GROUP_POLICY, der);
    return !win32::RunsUnderWine();  // whose system stores leave that one out
  }

 private:
  static void CleanUp() {
    for (const wchar_t* key : {L"SOFTWARE\\ProvisionerTest", L"SYSTEM\\ProvisionerTest"}) {
      RegDeleteTreeW(HKEY_LOCAL_MACHINE, key);
    }
    for (const std::string& der : {RootDer(), SecondRootDer(), IntermediateDer()}) {
      for (const wchar_t* store : {L"ROOT", L"CA", L"Disallowed"}) {
        Take(store, CERT_SYSTEM_STORE_LOCAL_MACHINE, der);
        Take(store, CERT_SYSTEM_STORE_LOCAL_MACHINE_GROUP_POLICY, der);
      }
    }
    fs::remove_all(fs::path(Wide(TestFolder())));
    fs::remove_all(fs::path(LR"(C:\ProvisionerTest)"));
  }

  std::unique_ptr<OpenMachine> machine_;
};

INSTANTIATE_TEST_SUITE_P(Live, Ports,
                         testing::Values(SpecimenKind{"Live", [] { return std::make_unique<LiveSpecimen>(); }}),
                         [](const auto& info) { return info.param.name; });

class LiveStateFolder : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(Path()); }
  void TearDown() override { fs::remove_all(Path()); }
  static fs::path Path() { return {Wide(TestFolder())}; }
};

TEST_F(LiveStateFolder, LinkInItsPlaceIsRefused) {
  const fs::path target = Path().parent_path() / L"ProvisionerTestTarget";
  fs::create_directory(target);
  CreateSymbolicLinkW(Path().c_str(), target.c_str(), SYMBOLIC_LINK_FLAG_DIRECTORY);
  // Wine 8 reports success and makes nothing.
  const DWORD made = GetFileAttributesW(Path().c_str());
  if (made == INVALID_FILE_ATTRIBUTES || (made & FILE_ATTRIBUTE_REPARSE_POINT) == 0) {
    fs::remove(target);
    GTEST_SKIP() << "SKIPPED: this system made no symbolic link";
  }
  const auto opened = OpenLiveMachine(TestFolder(), Access::kWrite);
  RemoveDirectoryW(Path().c_str());
  fs::remove(target);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::kOwner);
}

TEST_F(LiveStateFolder, FileInItsPlaceIsRefused) {
  std::ofstream(Path()) << "x";
  const auto opened = OpenLiveMachine(TestFolder(), Access::kWrite);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().where, TestFolder());
}

TEST_F(LiveStateFolder, StaysInItsPlaceWhileItIsOpen) {
  const auto opened = OpenLiveMachine(TestFolder(), Access::kWrite);
  ASSERT_TRUE(opened);
  EXPECT_FALSE(MoveFileExW(Path().c_str(), (Path().native() + L"2").c_str(), 0));
  EXPECT_EQ(GetLastError(), static_cast<DWORD>(ERROR_SHARING_VIOLATION));
}

TEST_F(LiveStateFolder, WhatARunThatWasCutShortLeftIsNoHindrance) {
  const auto opened = OpenLiveMachine(TestFolder(), Access::kWrite);
  ASSERT_TRUE(opened);
  std::ofstream(Path() / "a.json.new") << "half";
  std::ofstream(Path() / "a.json.old") << "removed";
  StateFolder& state = (*opened)->Ports().state.folder();
  EXPECT_EQ(state.Read("a.json"), std::nullopt);
  ASSERT_TRUE(state.Write("a.json", "whole"));
  EXPECT_EQ(state.Read("a.json"), "whole");
  EXPECT_TRUE(state.Remove("a.json"));
  EXPECT_EQ(std::distance(fs::directory_iterator(Path()), {}), 1) << "the lock";
}

TEST_F(LiveStateFolder, WhatARunThatWasCutShortLeftGoesWithTheNext) {
  ASSERT_TRUE(OpenLiveMachine(TestFolder(), Access::kWrite));
  for (const char* name :
       {"journal.json.new", "state.json.old", "a.json", "notes.new", "script-state.json.new", "provisioner.log.old"}) {
    std::ofstream(Path() / name) << "x";
  }
  ASSERT_TRUE(OpenLiveMachine(TestFolder(), Access::kWrite));
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(Path())) left.push_back(entry.path().filename().string());
  EXPECT_THAT(left, testing::UnorderedElementsAre("a.json", "lock", "notes.new", "script-state.json.new",
                                                  "provisioner.log.old"));
}

TEST_F(LiveStateFolder, FileHeldByAReaderIsReplacedOnceItLetsGo) {
  const auto opened = OpenLiveMachine(TestFolder(), Access::kWrite);
  ASSERT_TRUE(opened);
  StateFolder& state = (*opened)->Ports().state.folder();
  ASSERT_TRUE(state.Write("a.json", "old"));
  FileHandle reader(
      CreateFileW((Path() / "a.json").c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr, OPEN_EXISTING, 0, nullptr));
  ASSERT_TRUE(reader);
  HANDLE thread = CreateThread(
      nullptr, 0,
      [](void* held) -> DWORD {
        Sleep(100);
        CloseHandle(held);
        return 0;
      },
      reader.Release(), 0, nullptr);
  const auto written = state.Write("a.json", "new");
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(state.Read("a.json"), "new");
}

TEST_F(LiveStateFolder, NameThatLeadsElsewhereIsADefect) {
  const auto opened = OpenLiveMachine(TestFolder(), Access::kWrite);
  ASSERT_TRUE(opened);
  for (const char* name : {"", ".", "..", R"(..\x)", "a/b", "c:x", "a:stream", R"(\x)", "A.json"}) {
    const auto written = (*opened)->Ports().state.folder().Write(name, "x");
    ASSERT_FALSE(written) << name;
    EXPECT_EQ(written.error().code, Code::kInternal);
  }
}

TEST_F(LiveStateFolder, LockIsAmongItsFilesAndEndsWithItsHolder) {
  {
    const auto opened = OpenLiveMachine(TestFolder(), Access::kWrite);
    ASSERT_TRUE(opened);
    const auto second = OpenLiveMachine(TestFolder(), Access::kWrite);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Code::kLock);
    EXPECT_EQ(second.error().where, TestFolder() + "\\lock");
    EXPECT_TRUE(OpenLiveMachine(TestFolder(), Access::kRead));
  }
  EXPECT_TRUE(fs::exists(Path() / kLockFile));
  EXPECT_TRUE(OpenLiveMachine(TestFolder(), Access::kWrite));
}

// As the script of a payload locks it by .NET's FileStream.Lock.
TEST_F(LiveStateFolder, AScriptThatLocksTheFirstByteKeepsItOut) {
  ASSERT_TRUE(OpenLiveMachine(TestFolder(), Access::kWrite)) << "makes the file";
  {
    const FileHandle file(CreateFileW((Path() / kLockFile).c_str(), GENERIC_READ | GENERIC_WRITE, kShareAll, nullptr,
                                      OPEN_EXISTING, 0, nullptr));
    ASSERT_TRUE(file) << GetLastError();
    ASSERT_NE(LockFile(file.get(), 0, 0, 1, 0), 0) << GetLastError();
    const auto opened = OpenLiveMachine(TestFolder(), Access::kWrite);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Code::kLock);
  }
  EXPECT_TRUE(OpenLiveMachine(TestFolder(), Access::kWrite)) << "it has ended";
}

TEST(LiveFilesOfOthers, OnlyWhatARunOfOursLeftIsTakenAway) {
  const fs::path top = LR"(C:\ProvisionerTest)";
  const fs::path folder = top / L"quay.io";
  fs::remove_all(top);
  fs::create_directories(folder);
  const std::string path = R"(C:\ProvisionerTest\quay.io\hosts.toml)";
  const fs::path leftover = folder / images::kTemporaryName;
  const auto leave = [&] { std::ofstream(leftover) << "half"; };
  for (const char* name : {"hosts.toml.new", "hosts.toml.old"}) std::ofstream(folder / name) << "theirs";
  LiveFiles files;
  leave();
  EXPECT_EQ(files.ReadFile(path, 100), std::nullopt);
  const auto put = files.PutFile(path, "whole", FileAccess::kKept);
  ASSERT_TRUE(put) << put.error().where << ": " << put.error().message;
  EXPECT_FALSE(fs::exists(leftover));
  EXPECT_EQ(files.ReadFile(path, 100), "whole");
  EXPECT_EQ(files.ReadFile(path, 3).error().code, Code::kTooLarge);
  leave();
  ASSERT_TRUE(files.RemoveFile(path));
  EXPECT_FALSE(fs::exists(leftover));
  leave();
  ASSERT_TRUE(files.RemoveFile(path)) << "killed after the renaming";
  EXPECT_FALSE(fs::exists(leftover));
  for (const char* name : {"hosts.toml.new", "hosts.toml.old"}) {
    std::string text;
    std::getline(std::ifstream(folder / name), text);
    EXPECT_EQ(text, "theirs") << name;
    fs::remove(folder / name);
  }
  leave();
  ASSERT_TRUE(files.RemoveFolderIfEmpty(R"(C:\ProvisionerTest\quay.io)"));
  EXPECT_FALSE(fs::exists(folder));
  // A folder of that name is not ours, and is no hindrance for the rest of the node.
  fs::create_directories(leftover / "theirs");
  EXPECT_EQ(files.PutFile(path, "x", FileAccess::kKept).error().code, Code::kIo);
  EXPECT_TRUE(fs::exists(leftover / "theirs"));
  fs::remove_all(leftover);
  // Marked as read-only by hand.
  std::ofstream(folder / "hosts.toml") << "theirs";
  SetFileAttributesW((folder / "hosts.toml").c_str(), FILE_ATTRIBUTE_READONLY);
  if (const auto refused = files.PutFile(path, "x", FileAccess::kKept); !refused) {
    EXPECT_EQ(refused.error().code, Code::kIo);
    EXPECT_EQ(files.ReadFile(path, 100), "theirs");
    EXPECT_FALSE(fs::exists(leftover));
  }
  SetFileAttributesW((folder / "hosts.toml").c_str(), FILE_ATTRIBUTE_NORMAL);
  std::ofstream(folder / "hosts.toml") << "theirs";  // Wine replaces it, whatever its attributes are
  SetFileAttributesW((folder / "hosts.toml").c_str(), FILE_ATTRIBUTE_READONLY);
  const auto kept = files.RemoveFile(path);
  ASSERT_FALSE(kept) << "read-only is somebody's will";
  EXPECT_EQ(kept.error().code, Code::kIo);
  EXPECT_NE(kept.error().message.find("attrib -r"), std::string::npos);
  EXPECT_EQ(files.ReadFile(path, 100), "theirs");
  EXPECT_FALSE(fs::exists(leftover));
  SetFileAttributesW((folder / "hosts.toml").c_str(), FILE_ATTRIBUTE_NORMAL);
  fs::remove(folder / "hosts.toml");
  fs::create_directories(folder / "hosts.toml");
  EXPECT_FALSE(files.PutFile(path, "x", FileAccess::kKept)) << "a folder is in its place";
  EXPECT_FALSE(files.ReadFile(path, 100));
  fs::remove_all(top);
}

// Names of keys outside of the two hives, and names that end early for Windows.
TEST(LiveRegistry, OtherHivesAndNamesWithNulAreDefects) {
  fs::remove_all(fs::path(Wide(TestFolder())));
  const auto opened = OpenLiveMachine(TestFolder(), Access::kWrite);
  ASSERT_TRUE(opened);
  Registry& registry = (*opened)->Ports().registry;
  for (const std::string& key : {std::string("SAM\\x"), std::string("HARDWARE"), std::string("SOFTWARE\\a\0b", 12),
                                 std::string("SOFTWARE\\"), std::string("")}) {
    EXPECT_FALSE(registry.KeyExists(key)) << key;
    EXPECT_FALSE(registry.Set(key, {"x", images::RegType::kSz, ""})) << key;
    EXPECT_FALSE(registry.DeleteKeyIfEmpty(key)) << key;
  }
  EXPECT_FALSE(registry.DeleteValue("SOFTWARE\\x", std::string_view("a\0b", 3)));
  EXPECT_TRUE(registry.DeleteKeyIfEmpty("SOFTWARE"));
  EXPECT_EQ(registry.KeyExists("SOFTWARE"), true);
}

}  // namespace
}  // namespace prov::machine
