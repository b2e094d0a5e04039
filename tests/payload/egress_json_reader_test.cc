// Reading egress.json: the required type of each member. (payload_reader_test.cc tests whole payloads.)
#include <gtest/gtest.h>

#include "provisioner/base/text.h"
#include "provisioner/payload/egress_json.h"
#include "provisioner/payload/payload.h"
#include "tests/payload/json_damage.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::payload {
namespace {

using testing_support::HasMember;
using testing_support::PathOf;
using testing_support::WithMember;
using testing_support::WithoutMember;

const PayloadBytes& GoodPayload() {
  static const PayloadBytes files = [] {
    const egress::EgressConfig config = testing_support::SampleConfig();
    reconcile::DesiredOptions options;
    options.services = {"containerd"};
    PayloadBytes out;
    const Payload payload =
        MakePayload(config, reconcile::MakeDesiredState(config, options).value(), {.generation = 3, .exe = {}}).value();
    for (const PayloadFile& file : payload.files) out[file.path] = file.bytes;
    return out;
  }();
  return files;
}

Result<EgressDocument> ReadEgress(std::string egress_json) {
  PayloadBytes files = GoodPayload();
  files["egress.json"] = std::move(egress_json);
  return ReadEgressJson(files, "p");
}

const std::string& GoodEgressJson() { return GoodPayload().at("egress.json"); }

// What must be there; the rest of the document is derived from it.
const std::vector<std::string_view> kNeeded = Split(
    "/schema /generation /source /source/kind /source/name /source/ignitionVersion /scope /credentials "
    "/winHttpOctets /services /proxyFile /proxyFile/path /proxyFile/present /proxyFile/sha256 /proxyFile/bytes "
    "/proxyFile/mode /proxy /trustFile /trustFile/path /trustFile/present /trustFile/mode /certificates "
    "/certificates/0/file /certificates/0/sha256",
    ' ');

TEST(EgressJsonReader, EveryMemberIsNeeded) {
  ASSERT_TRUE(ReadEgress(GoodEgressJson()));
  for (const std::string_view needed : kNeeded) {
    const std::string pointer(needed);
    ASSERT_TRUE(HasMember(GoodEgressJson(), pointer)) << pointer;
    const auto read = ReadEgress(WithoutMember(GoodEgressJson(), pointer));
    ASSERT_FALSE(read) << pointer;
    EXPECT_EQ(read.error().code, Code::kType) << pointer << ": " << read.error().message;
    EXPECT_TRUE(read.error().where.starts_with("p: egress.json: $")) << read.error().where;
  }
}

// 1.5 is nowhere right: no member is a fraction.
TEST(EgressJsonReader, EveryMemberHasItsType) {
  std::vector<std::string> pointers(kNeeded.begin(), kNeeded.end());
  pointers.insert(pointers.end(),
                  {"/scope/0", "/services/0", "/proxy/HTTP_PROXY", "/proxy/HTTPS_PROXY", "/proxy/NO_PROXY"});
  for (const std::string& pointer : pointers) {
    ASSERT_TRUE(HasMember(GoodEgressJson(), pointer)) << pointer;
    const auto read = ReadEgress(WithMember(GoodEgressJson(), pointer, "1.5"));
    ASSERT_FALSE(read) << pointer;
    EXPECT_EQ(read.error().code, Code::kType) << pointer << ": " << read.error().message;
    EXPECT_EQ(read.error().where, "p: egress.json: " + PathOf(pointer));
  }
}

TEST(EgressJsonReader, KnowsWhetherAllCertificatesOfTheSourceAreThere) {
  EXPECT_FALSE(ReadEgress(GoodEgressJson())->config.not_read.trust);
  egress::EgressConfig config = testing_support::SampleConfig();
  config.not_read.trust = true;
  const auto state = reconcile::MakeDesiredState(config, {}).value();
  EXPECT_TRUE(ReadEgress(EgressJson(config, state, 3))->config.not_read.trust);
}

TEST(EgressJsonReader, GivesBackTheFilesOfRegistries) {
  egress::EgressConfig config = testing_support::SampleConfig();
  reconcile::DesiredOptions options;
  options.scope.registries = true;
  options.registry_folder = R"(C:\certs.d)";
  for (const bool states : {true, false}) {
    config.mirrors = {};
    if (states) {
      config.mirrors.places = {"registries.conf"};
      config.mirrors.registries = {{.prefix = "quay.io", .location = "", .mirrors = {{.location = "m.example"}}}};
      config.mirrors.cas = {{"m.example", {config.certificates.front().der}}};
    }
    const auto state = reconcile::MakeDesiredState(config, options).value();
    EXPECT_EQ(state.files.empty(), !states);
    const std::string written = EgressJson(config, state, 3);
    const auto read = Must(ReadEgress(written));
    const auto again = reconcile::MakeDesiredState(read.config, read.options).value();
    EXPECT_EQ(again.scope, state.scope);
    EXPECT_EQ(again.left_out, state.left_out);
    EXPECT_EQ(again.files, state.files);
    EXPECT_EQ(EgressJson(read.config, again, 3), written);
  }
  const auto state = reconcile::MakeDesiredState(config, options).value();
  const std::string written = EgressJson(config, state, 3);
  EXPECT_FALSE(ReadEgress(WithMember(written, "/registries/folder", R"("C:\\k")")));
}

TEST(EgressJsonReader, MakesTheSameFilesWhateverTrustTheNodeTakes) {
  egress::EgressConfig config = testing_support::SampleConfig();
  config.mirrors.places = {"registries.conf"};
  config.mirrors.cas = {{"m.example", {"DER of a CA"}}};
  reconcile::DesiredOptions options;
  options.scope.registries = true;
  options.registry_folder = R"(C:\certs.d)";
  for (const bool certificates : {true, false}) {
    for (const bool subtracts : {true, false}) {
      options.scope.certificates = certificates;
      options.subtract.clear();
      if (subtracts) options.subtract.insert(config.certificates.front().sha256);
      const auto state = reconcile::MakeDesiredState(config, options).value();
      ASSERT_EQ(state.files.size(), 1U);
      const std::string written = EgressJson(config, state, 3);
      PayloadBytes files = GoodPayload();
      files["egress.json"] = written;
      for (const auto& item : state.certificates) files[CertificatePath(item)] = item.certificate.der;
      const auto read = Must(ReadEgressJson(files, "p"));
      const auto again = reconcile::MakeDesiredState(read.config, read.options).value();
      EXPECT_EQ(again.files, state.files);
      EXPECT_EQ(EgressJson(read.config, again, 3), written);
    }
  }
}

TEST(EgressJsonReader, ARegistryThatCanNotBeReadIsNoStatementAfterwards) {
  for (const bool of_ca : {true, false}) {
    egress::EgressConfig config = testing_support::SampleConfig();
    config.mirrors.places = {"registries.conf"};
    config.mirrors.cas = {{"m.example", {"DER of a CA"}}};
    (of_ca ? config.mirrors.ca_fault : config.mirrors.fault) = Error{Code::kRegistries, "can't be read", "x"};
    reconcile::DesiredOptions options;
    options.scope.registries = true;
    options.registry_folder = R"(C:\certs.d)";
    const auto state = reconcile::MakeDesiredState(config, options).value();
    ASSERT_TRUE(state.files_fault.has_value());
    const auto read = Must(ReadEgress(EgressJson(config, state, 3)));
    const auto again = reconcile::MakeDesiredState(read.config, read.options).value();
    EXPECT_FALSE(again.scope.registries);
    EXPECT_FALSE(again.left_out.registries);
  }
}

TEST(EgressJsonReader, TellsRegistriesLeftOutFromRegistriesThatTheSourceSaysNothingOf) {
  for (const bool states : {true, false}) {
    egress::EgressConfig config = testing_support::SampleConfig();
    if (states) config.mirrors.places = {"registries.conf"};
    config.mirrors.states_no_cas = states;
    const auto state = reconcile::MakeDesiredState(config, {}).value();
    EXPECT_EQ(state.left_out.registries, states);
    const std::string written = EgressJson(config, state, 3);
    const auto read = Must(ReadEgress(written));
    const auto again = reconcile::MakeDesiredState(read.config, read.options).value();
    EXPECT_EQ(again.scope, state.scope);
    EXPECT_EQ(again.left_out, state.left_out);
    EXPECT_EQ(EgressJson(read.config, again, 3), written);
  }
}

TEST(EgressJsonReader, ModesAreOctal) {
  const auto mode = [](const std::string& text) {
    const auto read = ReadEgress(WithMember(GoodEgressJson(), "/trustFile/mode", "\"" + text + "\""));
    return read ? static_cast<int>(read->config.trust_file.mode) : -1;
  };
  EXPECT_EQ(mode("0600"), 0600);
  EXPECT_EQ(mode("07777"), 07777);
  EXPECT_EQ(mode("000644"), -1) << "longer than any mode";
  EXPECT_EQ(mode("0648"), -1);
  EXPECT_EQ(mode("-644"), -1);
  EXPECT_EQ(mode("rw-"), -1);
}

TEST(EgressJsonReader, ACertificateThatIsNoneIsRefused) {
  PayloadBytes files = GoodPayload();
  const auto read = Must(ReadEgressJson(files, "p"));
  ASSERT_FALSE(read.config.certificates.empty());
  for (auto& [path, bytes] : files) {
    if (path.starts_with("trust/")) bytes.resize(bytes.size() / 2);
  }
  EXPECT_FALSE(ReadEgressJson(files, "p"));
}

}  // namespace
}  // namespace prov::payload
