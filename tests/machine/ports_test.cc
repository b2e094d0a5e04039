// What every adapter of the ports of a machine must do: memory, images, and Windows where there is one.
#include <algorithm>

#include "images/registry/descriptor.h"
#include "images/registry/security.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "tests/machine/ports_suite.h"
#include "tests/support/memory_machine.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::machine {
namespace {

using images::RegType;
using images::RegValue;
using pki::Store;

std::string Key(std::string_view below) { return std::string(kTestKey) + "\\" + std::string(below); }

class MemorySpecimen final : public Specimen {
 public:
  Machine Ports() override { return memory_.Ports(); }
  void Reopen() override {}
  void PutDisallowed(const std::string& der) override { memory_.content().disallowed.insert(der); }
  bool PutForeign(Store store, const std::string& der) override {
    memory_.content().certificates[store][der] = false;
    return true;
  }

 private:
  testing_support::MemoryMachine memory_;
};

INSTANTIATE_TEST_SUITE_P(Memory, Ports,
                         testing::Values(SpecimenKind{"Memory", [] { return std::make_unique<MemorySpecimen>(); }}),
                         [](const auto& info) { return info.param.name; });

void ExpectValue(Registry& registry, const std::string& key, const RegValue& value) {
  const auto read = Must(registry.Read(key, value.name));
  ASSERT_TRUE(read) << value.name;
  EXPECT_EQ(read->type, value.type) << value.name;
  EXPECT_EQ(ToHex(read->data), ToHex(value.data)) << value.name;
}

TEST_P(Ports, RegistryKeepsEachTypeByteForByte) {
  const std::string key = Key("types");
  Machine m = machine();
  const std::vector<RegValue> values = {
      {"none", RegType::kNone, "raw"},
      {"sz", RegType::kSz, images::EncodeSz("http://u:p%40ss@proxy.example:3128/ä€𝄞")},
      {"empty sz", RegType::kSz, images::EncodeSz("")},
      {"expand", RegType::kExpandSz, images::EncodeSz("%SystemRoot%")},
      {"binary", RegType::kBinary, std::string("\0\1\xFF\0", 4)},
      {"empty binary", RegType::kBinary, ""},
      {"dword", RegType::kDword, images::EncodeDword(0x80000001)},
      {"multi", RegType::kMultiSz, images::EncodeMultiSz({"A=1", "B="})},
      {"qword", RegType::kQword, std::string("\1\2\3\4\5\6\7\x80", 8)},
      {"unlisted", static_cast<RegType>(9), "123"},
      {"", RegType::kSz, images::EncodeSz("the key's default value")},
      {"Grüße €", RegType::kSz, images::EncodeSz("name")},
  };
  for (const RegValue& value : values) ASSERT_TRUE(m.registry.Set(key, value)) << value.name;
  specimen_->Reopen();
  for (const RegValue& value : values) ExpectValue(machine().registry, key, value);
}

TEST_P(Ports, RegistryHoldsValuesOfAnySize) {
  Machine m = machine();
  for (const std::size_t size : {255U, 256U, 257U, 4096U, 16344U, 16345U, 200000U}) {
    std::string data(size, 'x');
    data.back() = '\0';
    const RegValue value{"size", RegType::kBinary, data};
    ASSERT_TRUE(m.registry.Set(Key("sizes"), value));
    const auto read = m.registry.Read(Key("sizes"), "size");
    ASSERT_TRUE(read && *read);
    EXPECT_TRUE((*read)->data == data) << size << " bytes, " << (*read)->data.size() << " came back";
  }
}

TEST_P(Ports, RegistryTellsAbsentFromEmpty) {
  Machine m = machine();
  EXPECT_EQ(m.registry.KeyExists(Key("absent")), false);
  EXPECT_EQ(m.registry.Read(Key("absent"), "x"), std::nullopt);
  EXPECT_EQ(m.registry.Subkeys(Key("absent")), std::vector<std::string>());
  ASSERT_TRUE(m.registry.Set(Key("there"), {"x", RegType::kSz, ""}));
  EXPECT_EQ(m.registry.KeyExists(Key("there")), true);
  EXPECT_EQ(m.registry.Read(Key("there"), "y"), std::nullopt);
  EXPECT_NE(m.registry.Read(Key("there"), "x"), std::nullopt);
}

TEST_P(Ports, RegistryNamesCompareWithoutCaseAndKeepTheirSpelling) {
  Machine m = machine();
  ASSERT_TRUE(m.registry.Set(Key("Mixed Case"), {"HTTP_PROXY", RegType::kSz, images::EncodeSz("1")}));
  ASSERT_TRUE(m.registry.Set(Key("mixed case"), {"http_proxy", RegType::kSz, images::EncodeSz("2")}));
  const auto read = m.registry.Read(Key("MIXED CASE"), "Http_Proxy");
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->name, "HTTP_PROXY");
  EXPECT_EQ((*read)->data, images::EncodeSz("2"));
  EXPECT_EQ(m.registry.Subkeys(std::string(kTestKey)), std::vector<std::string>{"Mixed Case"});
  EXPECT_EQ(m.registry.KeyExists(AsciiUpper(Key("Mixed Case"))), true);
}

TEST_P(Ports, RegistryListsSubkeysAndMakesMissingKeys) {
  Machine m = machine();
  for (const char* below : {R"(a\b\c)", R"(a\d)", R"(e)"}) {
    ASSERT_TRUE(m.registry.Set(Key(below), {"v", RegType::kDword, images::EncodeDword(1)}));
  }
  auto names = Must(m.registry.Subkeys(Key("a")));
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"b", "d"}));
  EXPECT_EQ(m.registry.KeyExists(Key(R"(a\b)")), true);
}

TEST_P(Ports, RegistryDeletesAValueAndIsContentWhereThereIsNone) {
  Machine m = machine();
  ASSERT_TRUE(m.registry.Set(Key("k"), {"one", RegType::kSz, images::EncodeSz("1")}));
  ASSERT_TRUE(m.registry.Set(Key("k"), {"two", RegType::kSz, images::EncodeSz("2")}));
  EXPECT_TRUE(m.registry.DeleteValue(Key("k"), "ONE"));
  EXPECT_EQ(m.registry.Read(Key("k"), "one"), std::nullopt);
  EXPECT_TRUE(m.registry.DeleteValue(Key("k"), "one"));
  EXPECT_TRUE(m.registry.DeleteValue(Key("no such key"), "one"));
  EXPECT_EQ(m.registry.KeyExists(Key("no such key")), false);
  ExpectValue(m.registry, Key("k"), {"two", RegType::kSz, images::EncodeSz("2")});
}

TEST_P(Ports, RegistryKeyInUseIsNeverDeleted) {
  Machine m = machine();
  ASSERT_TRUE(m.registry.Set(Key(R"(parent\child)"), {"v", RegType::kSz, images::EncodeSz("1")}));
  EXPECT_TRUE(m.registry.DeleteKeyIfEmpty(Key("parent"))) << "it has a subkey";
  EXPECT_TRUE(m.registry.DeleteKeyIfEmpty(Key(R"(parent\child)"))) << "it has a value";
  ExpectValue(m.registry, Key(R"(parent\child)"), {"v", RegType::kSz, images::EncodeSz("1")});
  ASSERT_TRUE(m.registry.DeleteValue(Key(R"(parent\child)"), "v"));
  EXPECT_TRUE(m.registry.DeleteKeyIfEmpty(Key("parent"))) << "its subkey is empty, and still there";
  EXPECT_EQ(m.registry.KeyExists(Key(R"(parent\child)")), true);
  EXPECT_TRUE(m.registry.DeleteKeyIfEmpty(Key(R"(parent\child)")));
  EXPECT_TRUE(m.registry.DeleteKeyIfEmpty(Key("parent")));
  EXPECT_EQ(m.registry.KeyExists(Key("parent")), false);
  EXPECT_TRUE(m.registry.DeleteKeyIfEmpty(Key("parent"))) << "absent: nothing to do";
}

TEST_P(Ports, RegistryKeyWithOnlyADefaultValueIsInUse) {
  Machine m = machine();
  ASSERT_TRUE(m.registry.Set(Key("k"), {"", RegType::kSz, images::EncodeSz("x")}));
  EXPECT_TRUE(m.registry.DeleteKeyIfEmpty(Key("k")));
  EXPECT_EQ(m.registry.KeyExists(Key("k")), true);
}

TEST_P(Ports, RegistryReachesBothHivesAndFlushes) {
  Machine m = machine();
  const RegValue value{"v", RegType::kDword, images::EncodeDword(7)};
  for (const std::string_view key : {kTestKey, kTestSystemKey}) ASSERT_TRUE(m.registry.Set(key, value));
  Must(m.registry.Flush());
  specimen_->Reopen();
  for (const std::string_view key : {kTestKey, kTestSystemKey}) {
    ExpectValue(machine().registry, std::string(key), value);
  }
}

TEST_P(Ports, CertificateIsThereAfterAddAndGoneAfterRemove) {
  for (const auto& [store, der] : {std::pair(Store::kRoot, RootDer()), std::pair(Store::kCa, IntermediateDer())}) {
    SCOPED_TRACE(NameOf(store));
    EXPECT_EQ(machine().certificates.Contains(store, der), false);
    Must(machine().certificates.Add(store, der));
    EXPECT_EQ(machine().certificates.Contains(store, der), true);
    EXPECT_TRUE(machine().certificates.Flush());
    specimen_->Reopen();
    EXPECT_EQ(machine().certificates.Contains(store, der), true);
    EXPECT_EQ(machine().certificates.Contains(store, SecondRootDer()), false);
    const std::string sha1 = ToHex(Sha1(der));
    EXPECT_EQ(machine().certificates.Find(store, sha1), der);
    EXPECT_EQ(machine().certificates.Find(store, AsciiUpper(sha1)), der);
    EXPECT_EQ(machine().certificates.Find(store, ToHex(Sha1(SecondRootDer()))), std::nullopt);
    Must(machine().certificates.Remove(store, der));
    specimen_->Reopen();
    EXPECT_EQ(machine().certificates.Contains(store, der), false);
  }
}

TEST_P(Ports, CertificateStoresAreSeparate) {
  ASSERT_TRUE(machine().certificates.Add(Store::kCa, RootDer()));
  EXPECT_EQ(machine().certificates.Contains(Store::kRoot, RootDer()), false);
  ASSERT_TRUE(machine().certificates.Remove(Store::kRoot, RootDer()));
  EXPECT_EQ(machine().certificates.Contains(Store::kCa, RootDer()), true);
}

TEST_P(Ports, CertificateAddedTwiceIsRemovedOnce) {
  ASSERT_TRUE(machine().certificates.Add(Store::kRoot, RootDer()));
  ASSERT_TRUE(machine().certificates.Add(Store::kRoot, SecondRootDer()));
  ASSERT_TRUE(machine().certificates.Add(Store::kRoot, RootDer()));
  ASSERT_TRUE(machine().certificates.Remove(Store::kRoot, RootDer()));
  EXPECT_EQ(machine().certificates.Contains(Store::kRoot, RootDer()), false);
  EXPECT_EQ(machine().certificates.Contains(Store::kRoot, SecondRootDer()), true);
  EXPECT_TRUE(machine().certificates.Remove(Store::kRoot, RootDer())) << "absent: nothing to do";
}

TEST_P(Ports, CertificateOfAnotherPhysicalStoreCountsAndStays) {
  if (!specimen_->PutForeign(Store::kRoot, RootDer())) GTEST_SKIP() << "SKIPPED: no group policies here, as under Wine";
  EXPECT_EQ(machine().certificates.Contains(Store::kRoot, RootDer()), true);
  EXPECT_TRUE(machine().certificates.Remove(Store::kRoot, RootDer()));
  specimen_->Reopen();
  EXPECT_EQ(machine().certificates.Contains(Store::kRoot, RootDer()), true);
  EXPECT_EQ(machine().certificates.Find(Store::kRoot, ToHex(Sha1(RootDer()))), RootDer());
}

TEST_P(Ports, CertificateIsDisallowedByTheStoreOfThatName) {
  EXPECT_EQ(machine().certificates.IsDisallowed(RootDer()), false);
  specimen_->PutDisallowed(RootDer());
  specimen_->Reopen();
  EXPECT_EQ(machine().certificates.IsDisallowed(RootDer()), true);
  EXPECT_EQ(machine().certificates.IsDisallowed(SecondRootDer()), false);
}

TEST_P(Ports, StateFileIsReplacedAndRemoved) {
  const std::string first("one\0\r\n\x1A\xFF", 8);
  EXPECT_EQ(machine().state.folder().Read("a.json"), std::nullopt);
  ASSERT_TRUE(machine().state.folder().Write("a.json", first));
  specimen_->Reopen();
  EXPECT_EQ(machine().state.folder().Read("a.json"), first);
  EXPECT_EQ(machine().state.folder().Read("b.json"), std::nullopt);
  ASSERT_TRUE(machine().state.folder().Write("a.json", ""));
  EXPECT_EQ(machine().state.folder().Read("a.json"), "");
  ASSERT_TRUE(machine().state.folder().Remove("a.json"));
  EXPECT_EQ(machine().state.folder().Read("a.json"), std::nullopt);
  EXPECT_TRUE(machine().state.folder().Remove("a.json")) << "absent: nothing to do";
}

TEST_P(Ports, StateFileMayBeLarge) {
  std::string bytes(3 << 20, 'x');
  for (std::size_t i = 0; i < bytes.size(); i += 997) bytes[i] = static_cast<char>(i);
  ASSERT_TRUE(machine().state.folder().Write("a.json", bytes));
  const auto read = Must(machine().state.folder().Read("a.json"));
  EXPECT_TRUE(read == bytes);
}

TEST_P(Ports, KeysCanBeClosedAndOpenedAgain) {
  Machine m = machine();
  if (!m.registry.HasSecurity()) GTEST_SKIP() << "keys have no descriptors here";
  EXPECT_EQ(m.registry.Security(Key("absent")), "");
  ASSERT_TRUE(m.registry.Set(Key("closed"), {"x", RegType::kSz, images::EncodeSz("1")}));
  const auto before = Must(m.registry.Security(Key("closed")));
  EXPECT_TRUE(images::IsSecurityDescriptor(before)) << ToHex(before);
  EXPECT_FALSE(images::IsForAdministratorsOnly(before)) << ToHex(before);
  ASSERT_TRUE(m.registry.SetSecurity(Key("closed"), images::ForAdministratorsOnly(before)));
  const auto after = Must(m.registry.Security(Key("closed")));
  EXPECT_TRUE(images::IsForAdministratorsOnly(after)) << ToHex(after);
  ASSERT_TRUE(m.registry.SetSecurity(Key("closed"), before));
  EXPECT_FALSE(images::IsForAdministratorsOnly(*m.registry.Security(Key("closed"))));
  ASSERT_TRUE(m.registry.DeleteValue(Key("closed"), "x"));
  ASSERT_TRUE(m.registry.DeleteKeyIfEmpty(Key("closed")));
}

TEST_P(Ports, FileIsReplacedAndRemovedWithFoldersOfItsOwn) {
  Files& files = machine().files;
  const std::string folder = specimen_->FilesFolder();
  const std::string path = folder + R"(\Registries\quay.io\hosts.toml)";
  const std::string bytes("[host]\r\n\0\xFF", 10);
  EXPECT_EQ(files.ReadFile(path, 1000), std::nullopt);
  EXPECT_TRUE(files.RemoveFile(path)) << "absent: nothing to do";
  EXPECT_EQ(files.FolderExists(folder + R"(\registries)"), false);
  Must(files.PutFile(path, bytes, FileAccess::kKept));
  specimen_->Reopen();
  EXPECT_EQ(machine().files.ReadFile(AsciiUpper(path), 1000), bytes) << "names have no case";
  EXPECT_EQ(machine().files.FolderExists(folder + R"(\registries\QUAY.IO)"), true);
  ASSERT_TRUE(machine().files.PutFile(path, "", FileAccess::kKept));
  EXPECT_EQ(machine().files.ReadFile(path, 1000), "");
  EXPECT_TRUE(machine().files.RemoveFolderIfEmpty(folder + R"(\Registries\quay.io)")) << "it is in use";
  EXPECT_EQ(machine().files.ReadFile(path, 1000), "");
  ASSERT_TRUE(machine().files.RemoveFile(path));
  EXPECT_EQ(machine().files.ReadFile(path, 1000), std::nullopt);
  EXPECT_TRUE(machine().files.RemoveFolderIfEmpty(folder + R"(\Registries)")) << "it holds a folder";
  EXPECT_EQ(machine().files.FolderExists(folder + R"(\Registries\quay.io)"), true);
  for (const char* below : {R"(\Registries\quay.io)", R"(\Registries)"}) {
    ASSERT_TRUE(machine().files.RemoveFolderIfEmpty(folder + below));
    EXPECT_EQ(machine().files.FolderExists(folder + below), false);
    EXPECT_TRUE(machine().files.RemoveFolderIfEmpty(folder + below)) << "absent: nothing to do";
  }
}

TEST_P(Ports, WhatOnlyAdministratorsMayReadStaysSo) {
  const std::string folder = specimen_->FilesFolder() + R"(\quay.io)";
  const std::string path = folder + R"(\hosts.toml)";
  const bool has_rights = specimen_->HasFileRights();
  EXPECT_EQ(machine().files.IsForEverybody(path), false) << "absent";
  struct Step {
    FileAccess access;
    bool for_everybody;
  };
  for (const auto& [access, for_everybody] : {Step{FileAccess::kKept, true},
                                              {FileAccess::kKept, true},
                                              {FileAccess::kClosed, false},
                                              {FileAccess::kKept, false},
                                              {FileAccess::kClosed, false}}) {
    Must(machine().files.PutFile(path, "secret", access));
    specimen_->Reopen();
    EXPECT_EQ(machine().files.ReadFile(path, 1000), "secret");
    if (has_rights) {
      EXPECT_EQ(machine().files.IsForEverybody(path), for_everybody);
    }
  }
  ASSERT_TRUE(machine().files.RemoveFile(path));
  ASSERT_TRUE(machine().files.PutFile(path, "secret", FileAccess::kClosed));
  if (has_rights) {
    EXPECT_EQ(machine().files.IsForEverybody(path), false) << "a new one";
  }
  ASSERT_TRUE(machine().files.RemoveFile(path));
  ASSERT_TRUE(machine().files.RemoveFolderIfEmpty(folder));
}

TEST_P(Ports, SystemIdentifiesMachineAndBoot) {
  const auto id = machine().system.MachineId();
  const auto boot = machine().system.BootId();
  ASSERT_TRUE(id) << id.error().message;
  ASSERT_TRUE(boot) << boot.error().message;
  EXPECT_EQ(id->size(), 36U) << *id;
  EXPECT_EQ(boot->empty(), !specimen_->Runs());
  specimen_->Reopen();
  EXPECT_EQ(machine().system.MachineId(), *id);
  EXPECT_EQ(machine().system.BootId(), *boot) << "the same boot";
  machine().system.AnnounceEnvironment();
}

}  // namespace

std::string RootDer() { return testing_support::SampleCertificates().at(0).der; }
std::string SecondRootDer() { return testing_support::SampleCertificates().at(1).der; }
std::string IntermediateDer() { return testing_support::SampleCertificates().at(2).der; }

}  // namespace prov::machine
