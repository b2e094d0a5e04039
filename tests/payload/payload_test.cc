#include "provisioner/payload/payload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "images/registry/security.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/machine/certificate_blob.h"
#include "provisioner/payload/egress_json.h"
#include "provisioner/payload/registry_payload.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/observe.h"
#include "provisioner/reconcile/windows_proxy.h"
#include "tests/support/hive_reader.h"
#include "tests/support/memory_machine.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::payload {
namespace {

using images::RegKey;
using testing::HasSubstr;
using testing::Not;
using testing_support::SampleConfig;

constexpr std::string_view kCanary = "c4nary";

reconcile::DesiredState State(reconcile::CredentialPolicy credentials = reconcile::CredentialPolicy::kMachine) {
  reconcile::DesiredOptions options;
  options.services = {"containerd"};
  options.credentials = credentials;
  return *reconcile::MakeDesiredState(SampleConfig(), options);
}

Payload Make(const reconcile::DesiredState& state, const PayloadOptions& options = {}) {
  return Must(MakePayload(SampleConfig(), state, options));
}

const PayloadFile& FileOf(const Payload& payload, std::string_view path) {
  const auto found = std::ranges::find(payload.files, path, &PayloadFile::path);
  EXPECT_NE(found, payload.files.end()) << path;
  return *found;
}

const RegKey* Find(const RegKey& root, std::string_view path) {
  const RegKey* key = &root;
  for (const std::string_view name : Split(path, '\\')) {
    const auto found = std::ranges::find_if(key->subkeys, [&](const RegKey& k) { return k.name == name; });
    if (found == key->subkeys.end()) return nullptr;
    key = &*found;
  }
  return key;
}

TEST(Payload, HoldsTheFilesOfTheContractAndTheManifestListsThemAll) {
  const Payload payload = Make(State());
  const std::string& manifest = FileOf(payload, "manifest.json").bytes;
  for (const char* path : {"README.txt", "egress.json", "operations.json", "registry/SOFTWARE.hiv",
                           "registry/SYSTEM.hiv", "registry/egress.reg", "scripts/Apply-Egress.ps1",
                           "scripts/SetupComplete.cmd", "trust/bundle.pem", "unattend.xml"}) {
    const PayloadFile& file = FileOf(payload, path);
    EXPECT_THAT(manifest, HasSubstr("\"path\": \"" + std::string(path) + "\""));
    EXPECT_THAT(manifest, HasSubstr(ToHex(Sha256(file.bytes)))) << path;
    EXPECT_FALSE(file.purpose.empty()) << path;
  }
  EXPECT_THAT(manifest, Not(HasSubstr("manifest.json")));
  EXPECT_TRUE(std::ranges::is_sorted(payload.files, {}, &PayloadFile::path));
  EXPECT_EQ(payload.files.size(), 14U) << "11 files and 3 certificates";
}

TEST(Payload, ThePasswordIsOnlyInFilesThatAreMarkedSecret) {
  const std::string wide = ToUtf16Le(kCanary);
  bool seen = false;
  for (const PayloadFile& file : Make(State()).files) {
    const bool holds = file.bytes.find(kCanary) != std::string::npos || file.bytes.find(wide) != std::string::npos;
    seen = seen || holds;
    EXPECT_EQ(holds, file.secret) << file.path;
    EXPECT_EQ(file.Mode(), file.secret ? 0600U : 0644U);
  }
  EXPECT_TRUE(seen);
  for (const PayloadFile& file : Make(State(reconcile::CredentialPolicy::kNone)).files) {
    EXPECT_EQ(file.bytes.find(kCanary), std::string::npos) << file.path;
    EXPECT_EQ(file.bytes.find(wide), std::string::npos) << file.path;
    EXPECT_FALSE(file.secret) << file.path;
  }
}

TEST(Payload, CarriesTheExeAndTheGeneration) {
  const Payload payload = Make(State(), {.generation = 7, .exe = "MZ"});
  EXPECT_EQ(FileOf(payload, "provisioner.exe").bytes, "MZ");
  EXPECT_THAT(FileOf(payload, "manifest.json").bytes, HasSubstr("\"generation\": 7"));
  EXPECT_THAT(FileOf(payload, "egress.json").bytes, HasSubstr("\"generation\": 7"));
}

TEST(Payload, CarriesAGivenAnswerFileAsASecret) {
  const PayloadFile own = FileOf(Make(State()), "unattend.xml");
  EXPECT_FALSE(own.secret);
  const auto added = Must(unattend::AddCommand(own.bytes, PayloadCommand(), "unattend.xml"));
  EXPECT_FALSE(added.changed) << "the payload's own answer file runs just that command";
  EXPECT_THAT(own.bytes, HasSubstr("<Description>" + PayloadCommand().description + "</Description>"));

  const Payload payload = Make(State(), {.generation = 1, .exe = {}, .unattend = "<unattend/>"});
  EXPECT_EQ(FileOf(payload, "unattend.xml").bytes, "<unattend/>");
  EXPECT_TRUE(FileOf(payload, "unattend.xml").secret) << "it may hold passwords";
  EXPECT_EQ(payload.files.size(), 14U);
}

TEST(RegistryPayload, TheSystemHiveHoldsTheEnvironmentsAndChoosesNoControlSet) {
  const auto bytes = Must(SystemHive(State()));
  const auto root = Must(images::ReadHive(bytes));
  EXPECT_EQ(Find(root, "Select"), nullptr);
  const RegKey* environment = Find(root, R"(ControlSet001\Control\Session Manager\Environment)");
  ASSERT_NE(environment, nullptr);
  ASSERT_EQ(environment->values.size(), 3U);
  EXPECT_EQ(environment->values[0].name, "HTTP_PROXY");
  EXPECT_EQ(environment->values[0].type, images::RegType::kSz);
  EXPECT_EQ(environment->values[0].data, images::EncodeSz("http://user:c4nary%40@proxy.example.com:3128"));
  const RegKey* service = Find(root, R"(ControlSet001\Services\containerd)");
  ASSERT_NE(service, nullptr);
  EXPECT_EQ(service->values[0].type, images::RegType::kMultiSz);
  EXPECT_EQ(root.security, images::SystemAdminsDescriptor()) << "it holds credentials";
  EXPECT_EQ(images::ReadHive(*SystemHive(State(reconcile::CredentialPolicy::kNone)))->security,
            images::SystemAdminsUsersDescriptor());
}

TEST(RegistryPayload, TheSoftwareHiveHoldsWinHttpTwiceAndTheStores) {
  const auto bytes = Must(SoftwareHive(State()));
  const auto root = Must(images::ReadHive(bytes));
  for (const auto& view : reconcile::kWinHttpViews) {
    const RegKey* key = Find(root, view.key.substr(std::string_view(R"(SOFTWARE\)").size()));
    ASSERT_NE(key, nullptr) << view.key;
    EXPECT_EQ(key->values[0].type, images::RegType::kBinary);
    EXPECT_EQ(reconcile::DecodeWinHttp(key->values[0].data)->proxy, *State().win_http);
  }
  EXPECT_EQ(Find(root, machine::CertificateStoreKey(pki::Store::kRoot))->subkeys.size(), 2U);
  const RegKey* ca = Find(root, machine::CertificateStoreKey(pki::Store::kCa));
  ASSERT_EQ(ca->subkeys.size(), 1U);
  EXPECT_EQ(ca->subkeys[0].name, reconcile::Thumbprint(State().certificates[2].certificate));
  EXPECT_EQ(ca->subkeys[0].values[0].data, machine::EncodeCertificateBlob(State().certificates[2].certificate.der));
}

reconcile::DesiredOptions WithWinInet() {
  reconcile::DesiredOptions options;
  options.services = {"containerd"};
  options.scope.win_inet = true;
  return options;
}

void PutTree(testing_support::MemoryMachine& machine, const std::string& path, const RegKey& key) {
  machine.PutKey(path);
  for (const images::RegValue& value : key.values) machine.Put(path, value);
  for (const RegKey& child : key.subkeys) PutTree(machine, path + "\\" + child.name, child);
}

// A node that boots with what was baked needs nothing more.
TEST(RegistryPayload, APlanAgainstTheHivesHasNothingToWrite) {
  const auto state = reconcile::MakeDesiredState(SampleConfig(), WithWinInet()).value();
  testing_support::MemoryMachine memory;
  PutTree(memory, R"(SYSTEM\CurrentControlSet)", *Find(*images::ReadHive(*SystemHive(state)), "ControlSet001"));
  PutTree(memory, "SOFTWARE", *images::ReadHive(*SoftwareHive(state)));
  for (const reconcile::CertificateItem& item : state.certificates) {
    memory.content().certificates[item.store][item.certificate.der] = true;
  }
  machine::Machine machine = memory.Ports();
  const auto report = Must(reconcile::PlanOn(machine, state, {.adopt = true}));
  // Merged into a hive, a service's key has the descriptor that it has there.
  EXPECT_EQ(report.writes, 1U);
  EXPECT_EQ(std::ranges::count(report.changes, reconcile::ItemKind::kService, &reconcile::Change::kind), 1);
  EXPECT_FALSE(report.reboot_required);
  EXPECT_EQ(std::ranges::count(report.changes, reconcile::Action::kAdopt, &reconcile::Change::action), 3 + 1 + 2 + 11);
}

TEST(RegistryPayload, WinInetIsBakedOnlyWhenAskedFor) {
  const std::string policy = R"(Policies\Microsoft\Windows\CurrentVersion\Internet Settings)";
  EXPECT_EQ(Find(*images::ReadHive(*SoftwareHive(State())), policy), nullptr);
  const auto state = reconcile::MakeDesiredState(SampleConfig(), WithWinInet()).value();
  const auto root = images::ReadHive(*SoftwareHive(state)).value();
  const RegKey* key = Find(root, policy);
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(key->values.at(0).name, "ProxySettingsPerUser");
  EXPECT_EQ(key->values.at(0).data, images::EncodeDword(0));
  EXPECT_NE(Find(root, R"(WOW6432Node\Microsoft\Windows\CurrentVersion\Internet Settings)"), nullptr);
}

TEST(RegistryPayload, AServiceWithoutVariablesIsNotInTheHive) {
  egress::EgressConfig config = SampleConfig();
  config.http_proxy = config.https_proxy = std::nullopt;
  config.no_proxy = std::nullopt;
  reconcile::DesiredOptions options;
  options.services = {"containerd"};
  const auto root = Must(images::ReadHive(*SystemHive(*reconcile::MakeDesiredState(config, options))));
  EXPECT_EQ(Find(root, R"(ControlSet001\Services)"), nullptr)
      << "an import would replace the service's list by an empty one";
  EXPECT_EQ(Find(root, R"(ControlSet001\Control)"), nullptr);
}

TEST(RegistryPayload, TheRegFileIsUtf16WithLivePaths) {
  const std::string bytes = RegistryFile(State());
  ASSERT_TRUE(bytes.starts_with("\xff\xfe"));
  const auto text = FromUtf16Le(std::string_view(bytes).substr(2));
  ASSERT_TRUE(text);
  EXPECT_TRUE(text->starts_with("Windows Registry Editor Version 5.00\r\n"));
  EXPECT_THAT(*text, HasSubstr(R"([HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Session Manager\Environment])"));
  EXPECT_THAT(*text, HasSubstr(R"("HTTP_PROXY"="http://user:c4nary%40@proxy.example.com:3128")"));
  EXPECT_THAT(*text, HasSubstr(R"([HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\containerd])"));
  EXPECT_THAT(*text, HasSubstr(R"([HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\SystemCertificates\ROOT\Certificates\)"));
  EXPECT_THAT(*text, Not(HasSubstr("Select")));
}

// A .reg file can't say who may read a key.
TEST(RegistryPayload, TheRegFileLeavesOutWhatUsersMayNotReadAndSaysSo) {
  const auto text = Must(FromUtf16Le(RegistryFile(State(reconcile::CredentialPolicy::kServices)).substr(2)));
  EXPECT_THAT(text, Not(HasSubstr(R"(\Services\containerd)")));
  EXPECT_THAT(text, Not(HasSubstr(kCanary)));
  EXPECT_THAT(text, HasSubstr("\r\n\r\n; Left out: environments of services that hold the proxy's password."));
  const auto open = FromUtf16Le(RegistryFile(State(reconcile::CredentialPolicy::kNone)).substr(2));
  EXPECT_THAT(*open, HasSubstr(R"(\Services\containerd])"));
  EXPECT_THAT(*open, Not(HasSubstr("Left out")));
}

TEST(EgressJson, NamesWhatIsManagedAndWhereItLies) {
  const std::string json = EgressJson(SampleConfig(), State(), 1);
  EXPECT_THAT(json,
              HasSubstr("\"scope\": [\n    \"machine\",\n    \"services\",\n    \"winhttp\",\n    \"certs\"\n  ]"));
  EXPECT_THAT(json, HasSubstr("\"file\": \"trust/ROOT/" + reconcile::Thumbprint(State().certificates[0].certificate) +
                              ".cer\""));
}

}  // namespace
}  // namespace prov::payload
