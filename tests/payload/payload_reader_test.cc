#include "provisioner/payload/payload_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "provisioner/payload/payload.h"
#include "provisioner/payload/payload_folder.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"
#include "tests/support/scratch_folder.h"

namespace prov::payload {
namespace {

namespace fs = std::filesystem;

using reconcile::CredentialPolicy;
using reconcile::DesiredOptions;
using testing::HasSubstr;
using testing::Not;
using testing_support::SampleConfig;

Payload Baked(const egress::EgressConfig& config, const DesiredOptions& options, std::int64_t generation = 3) {
  const auto state = Must(reconcile::MakeDesiredState(config, options));
  return MakePayload(config, state, {.generation = generation, .exe = {}}).value();
}

PayloadBytes BytesOf(const Payload& payload) {
  PayloadBytes out;
  for (const PayloadFile& file : payload.files) out[file.path] = file.bytes;
  return out;
}

// Reads files that lie in no folder.
Result<EgressDocument> Read(const PayloadBytes& files, const std::string& where) {
  Manifest manifest = PROV_TRY(ParseManifest(files.at("manifest.json"), where + ": manifest.json"));
  return ReadPayload({std::move(manifest), files}, where);
}

// The files again, with a manifest that fits them.
PayloadBytes WithFreshManifest(PayloadBytes files, std::int64_t generation = 3) {
  std::vector<PayloadFile> list;
  for (const auto& [path, bytes] : files) {
    if (path != "manifest.json") list.push_back({path, bytes, false, "test"});
  }
  files["manifest.json"] = ManifestJson(list, {generation});
  return files;
}

std::vector<DesiredOptions> AllChoices() {
  std::vector<DesiredOptions> out;
  for (const auto credentials : {CredentialPolicy::kMachine, CredentialPolicy::kServices, CredentialPolicy::kNone}) {
    for (unsigned bits = 1; bits < 64; ++bits) {
      DesiredOptions options;
      options.credentials = credentials;
      options.scope = {(bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) != 0, (bits & 8U) != 0};
      if (options.scope.Names().empty()) continue;
      options.scope.win_inet = (bits & 16U) != 0;
      if ((bits & 16U) != 0) options.services = {"containerd", "kubelet"};
      options.win_http_octets = (bits & 32U) != 0;
      if ((bits & 32U) != 0) options.trusted = {std::string(64, 'a'), std::string(64, 'b')};
      out.push_back(options);
    }
  }
  return out;
}

TEST(PayloadReader, BakingAPayloadAgainGivesTheSameBytesWhateverTheChoices) {
  for (const DesiredOptions& options : AllChoices()) {
    const PayloadBytes files = BytesOf(Baked(SampleConfig(), options));
    const auto read = Must(Read(files, "payload"));
    EXPECT_EQ(read.generation, 3);
    ASSERT_EQ(BytesOf(Baked(read.config, read.options)), files) << files.at("egress.json");
    ASSERT_EQ(reconcile::MakeDesiredState(read.config, read.options)->left_out,
              reconcile::MakeDesiredState(SampleConfig(), options)->left_out);
  }
}

TEST(PayloadReader, NoStatementStaysNone) {
  egress::EgressConfig config = SampleConfig();
  config.trust_file.present = false;
  config.certificates.clear();
  config.http_proxy.reset();
  config.https_proxy = Secret("");
  const auto read = Must(Read(BytesOf(Baked(config, {})), "p"));
  EXPECT_FALSE(read.config.trust_file.present);
  EXPECT_FALSE(read.config.trust_file.left_out);
  EXPECT_FALSE(read.config.http_proxy.has_value());
  EXPECT_EQ(read.config.https_proxy, Secret(""));
  EXPECT_EQ(read.config.source.name, config.source.name);
  EXPECT_EQ(read.config.proxy_file.mode, 0644U);
}

TEST(PayloadReader, CredentialsThatNothingHoldsAreNotStored) {
  DesiredOptions options;
  options.credentials = CredentialPolicy::kServices;  // and no service is named
  const PayloadBytes files = BytesOf(Baked(SampleConfig(), options));
  EXPECT_THAT(files.at("egress.json"), Not(HasSubstr("c4nary")));
  EXPECT_EQ(Read(files, "p")->config.http_proxy, Secret("http://proxy.example.com:3128"));
}

struct Damage {
  const char* why;
  void (*apply)(PayloadBytes&);
  Code code;
  const char* where;
};

void Replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

const Damage kDamages[] = {
    {"a changed byte", [](PayloadBytes& f) { f["unattend.xml"][10] ^= 1; }, Code::kManifest, "p: unattend.xml"},
    {"a longer file", [](PayloadBytes& f) { f["README.txt"] += ' '; }, Code::kManifest, "p: README.txt"},
    {"a missing file", [](PayloadBytes& f) { f.erase("registry/SYSTEM.hiv"); }, Code::kManifest,
     "p: registry/SYSTEM.hiv"},
    {"a manifest cut short", [](PayloadBytes& f) { f["manifest.json"].resize(100); }, Code::kJson,
     "p: manifest.json: line 7, column 18"},
    {"a newer manifest", [](PayloadBytes& f) { Replace(f["manifest.json"], "\"schema\": 1", "\"schema\": 2"); },
     Code::kVersion, "p: manifest.json: $.schema"},
    {"a path upwards", [](PayloadBytes& f) { Replace(f["manifest.json"], "README.txt", "../README.txt"); },
     Code::kManifest, "p: manifest.json: $.files[0].path"},
    {"a path on a drive", [](PayloadBytes& f) { Replace(f["manifest.json"], "README.txt", "C:/README.txt"); },
     Code::kManifest, "p: manifest.json: $.files[0].path"},
    {"the manifest in itself", [](PayloadBytes& f) { Replace(f["manifest.json"], "README.txt", "manifest.json"); },
     Code::kManifest, "p: manifest.json: $.files[0].path"},
    {"a path twice", [](PayloadBytes& f) { Replace(f["manifest.json"], "README.txt", "EGRESS.JSON"); }, Code::kManifest,
     "p: manifest.json: $.files[1]"},
    {"another generation",
     [](PayloadBytes& f) { Replace(f["manifest.json"], "\"generation\": 3", "\"generation\": 4"); }, Code::kManifest,
     "p"},
};

TEST(PayloadReader, WhatWasChangedAfterBakingIsRefused) {
  const PayloadBytes good = BytesOf(Baked(SampleConfig(), {}));
  ASSERT_TRUE(Read(good, "p"));
  for (const Damage& damage : kDamages) {
    PayloadBytes files = good;
    damage.apply(files);
    const auto read = Read(files, "p");
    ASSERT_FALSE(read) << damage.why;
    EXPECT_EQ(read.error().code, damage.code) << damage.why << ": " << read.error().message;
    EXPECT_EQ(read.error().where, damage.where) << damage.why;
  }
}

// The same with a manifest that fits: egress.json itself is wrong.
const Damage kFaults[] = {
    {"no JSON", [](PayloadBytes& f) { f["egress.json"] = "{"; }, Code::kJson, "p: egress.json: line 1, column 2"},
    {"no egress.json", [](PayloadBytes& f) { f.erase("egress.json"); }, Code::kManifest, "p"},
    {"newer", [](PayloadBytes& f) { Replace(f["egress.json"], "\"schema\": 1", "\"schema\": 2"); }, Code::kVersion,
     "p: egress.json: $.schema"},
    {"unknown facility", [](PayloadBytes& f) { Replace(f["egress.json"], "\"winhttp\"", "\"wlan\""); }, Code::kType,
     "p: egress.json: $.scope[2]"},
    {"unknown policy",
     [](PayloadBytes& f) { Replace(f["egress.json"], "\"credentials\": \"machine\"", "\"credentials\": \"all\""); },
     Code::kType, "p: egress.json: $.credentials"},
    {"a service that is none", [](PayloadBytes& f) { Replace(f["egress.json"], "\"containerd\"", "\"..\\\\x\""); },
     Code::kType, "p: egress.json: $.services[0]"},
    {"another variable", [](PayloadBytes& f) { Replace(f["egress.json"], "\"HTTPS_PROXY\"", "\"PATH\""); }, Code::kType,
     "p: egress.json: $.proxy.PATH"},
    {"a mode that is none", [](PayloadBytes& f) { Replace(f["egress.json"], "\"0644\"", "\"0999\""); }, Code::kType,
     "p: egress.json: $.proxyFile.mode"},
    {"a size that is none", [](PayloadBytes& f) { Replace(f["egress.json"], "\"bytes\": 0", "\"bytes\": -1"); },
     Code::kType, "p: egress.json: $.proxyFile.bytes"},
    {"a certificate elsewhere", [](PayloadBytes& f) { Replace(f["egress.json"], "trust/ROOT/", "trust/root/"); },
     Code::kManifest, "p: egress.json: $.certificates[0].file"},
};

TEST(PayloadReader, AnEgressJsonThatSaysNonsenseIsRefused) {
  DesiredOptions options;
  options.services = {"containerd"};
  const PayloadBytes good = BytesOf(Baked(SampleConfig(), options));
  for (const Damage& fault : kFaults) {
    PayloadBytes files = good;
    fault.apply(files);
    const auto read = Read(WithFreshManifest(files), "p");
    ASSERT_FALSE(read) << fault.why;
    EXPECT_EQ(read.error().code, fault.code) << fault.why << ": " << read.error().message;
    EXPECT_EQ(read.error().where, fault.where) << fault.why;
  }
}

TEST(PayloadReader, ACertificateMustBeTheOneThatIsNamed) {
  PayloadBytes files = BytesOf(Baked(SampleConfig(), {}));
  std::vector<std::string*> roots;
  for (auto& [path, bytes] : files) {
    if (path.starts_with("trust/ROOT/")) roots.push_back(&bytes);
  }
  ASSERT_EQ(roots.size(), 2U);
  roots[0]->swap(*roots[1]);
  const Error read = ErrorIn(Read(WithFreshManifest(files), "p"));
  EXPECT_EQ(read.code, Code::kManifest);
  EXPECT_EQ(read.where, "p: egress.json: $.certificates[0].sha256");
}

class PayloadOnDisk : public ::testing::Test {
 protected:
  PayloadOnDisk() { EXPECT_TRUE(WritePayloadFolder(Baked(SampleConfig(), {}), folder_, 0)); }

  Code Refusal() {
    const auto read = LoadPayloadFolder(folder_);
    EXPECT_FALSE(read);
    return read ? Code::kInternal : read.error().code;
  }

  testing_support::ScratchFolder scratch_;
  std::string folder_ = scratch_.At("p");
};

TEST_F(PayloadOnDisk, IsReadAsItWasWritten) {
  const auto loaded = Must(LoadPayloadFolder(folder_));
  EXPECT_EQ(loaded.files, BytesOf(Baked(SampleConfig(), {})));
}

TEST_F(PayloadOnDisk, AnUnlistedFileIsRefusedUnread) {
  std::ofstream(folder_ + "/scripts/version.dll") << "MZ";
  EXPECT_EQ(Refusal(), Code::kManifest);
  EXPECT_EQ(LoadPayloadFolder(folder_).error().where, folder_ + "/scripts/version.dll");
}

TEST_F(PayloadOnDisk, AnUnlistedEmptyFolderIsHarmless) {
  fs::create_directory(folder_ + "/empty");
  EXPECT_TRUE(LoadPayloadFolder(folder_));
}

TEST_F(PayloadOnDisk, AMissingFileOrManifestIsRefused) {
  fs::remove(folder_ + "/unattend.xml");
  EXPECT_EQ(Refusal(), Code::kManifest);
  fs::remove(folder_ + "/manifest.json");
  EXPECT_EQ(Refusal(), Code::kNotFound);
}

}  // namespace
}  // namespace prov::payload
