#include "provisioner/userdata/user_data_container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::userdata {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::SampleConfig;

reconcile::DesiredState State(const reconcile::DesiredOptions& options = {}) {
  return *reconcile::MakeDesiredState(SampleConfig(), options);
}

std::string ContainerOf(const reconcile::DesiredState& state, const ContainerOptions& options = {}) {
  return MakeContainer(SampleConfig(), state, options);
}

TEST(Container, KeepsTheChoices) {
  reconcile::DesiredOptions options;
  options.scope.machine = false;
  options.scope.win_inet = true;
  options.credentials = reconcile::CredentialPolicy::kServices;
  options.services = {"kubelet", "containerd"};
  options.trusted = {std::string(64, 'a')};
  options.win_http_octets = true;
  const auto read = Must(ReadContainer(ContainerOf(State(options), {.generation = 4}), "x"));
  EXPECT_EQ(read.generation, 4);
  EXPECT_EQ(read.options.scope, options.scope);
  EXPECT_EQ(read.options.credentials, options.credentials);
  EXPECT_EQ(read.options.services, options.services);
  EXPECT_EQ(read.options.trusted, options.trusted);
  EXPECT_TRUE(read.options.win_http_octets);
}

TEST(Container, KeepsTheMirrorsForFilesOfRegistries) {
  egress::EgressConfig config = SampleConfig();
  config.mirrors.places = {"registries.conf"};
  config.mirrors.registries = {{.prefix = "quay.io", .location = "", .mirrors = {{.location = "m.example"}}}};
  reconcile::DesiredOptions options;
  options.scope.registries = true;
  options.registry_folder = R"(C:\certs.d)";
  const auto state = *reconcile::MakeDesiredState(config, options);
  ASSERT_FALSE(state.files.empty());
  const auto read = Must(ReadContainer(MakeContainer(config, state, {}), "x"));
  EXPECT_EQ(reconcile::MakeDesiredState(read.config, read.options)->files, state.files);
}

// A source without a file says nothing of what is in it, and the node is left alone there.
TEST(Container, KeepsWhatTheSourceSaysNothingOf) {
  egress::EgressConfig config = SampleConfig();
  config.proxy_file.present = false;
  config.http_proxy.reset();
  config.https_proxy.reset();
  config.no_proxy.reset();
  const auto state = *reconcile::MakeDesiredState(config, {});
  const auto read = Must(ReadContainer(MakeContainer(config, state, {}), "x"));
  EXPECT_FALSE(read.config.proxy_file.present);
  EXPECT_TRUE(read.config.trust_file.present);
  EXPECT_EQ(reconcile::MakeDesiredState(read.config, read.options)->scope, state.scope);
}

TEST(Container, KeepsWhatTheChoicesLeaveOut) {
  for (const reconcile::Scope& scope :
       {reconcile::Scope{false, true, true, true}, {false, false, false, true}, {true, true, true, false}}) {
    reconcile::DesiredOptions options;
    options.scope = scope;
    const auto state = State(options);
    const auto read = Must(ReadContainer(ContainerOf(state), "x"));
    EXPECT_EQ(reconcile::MakeDesiredState(read.config, read.options)->left_out, state.left_out);
  }
}

TEST(Container, KeepsThatCertificatesAreOnlyAdded) {
  egress::EgressConfig config = SampleConfig();
  config.not_read.trust = true;
  const auto state = *reconcile::MakeDesiredState(config, {});
  const std::string made = MakeContainer(config, state, {});
  EXPECT_THAT(made, HasSubstr(R"("scope":["machine","services","winhttp"])")) << "what the script takes back";
  const auto read = Must(ReadContainer(made, "x"));
  EXPECT_TRUE(read.options.scope.certificates);
  EXPECT_TRUE(read.config.not_read.trust);
  EXPECT_EQ(read.config.certificates.size(), config.certificates.size());
}

// Certificates at a URL are not read, and so none is removed, also where the source itself was not read whole.
TEST(Container, SaysNothingOfCertificatesThatAreElsewhere) {
  const Download bundle{"http://h/x", std::string(64, 'a')};
  egress::EgressConfig config = SampleConfig();
  for (const bool not_read : {false, true}) {
    config.not_read.trust = not_read;
    const auto read =
        Must(ReadContainer(MakeContainer(config, *reconcile::MakeDesiredState(config, {}), {.bundle = bundle}), "x"));
    EXPECT_EQ(read.config.https_proxy, config.https_proxy);
    EXPECT_EQ(read.config.no_proxy, config.no_proxy);
    ASSERT_EQ(read.config.findings.size(), 1U);
    EXPECT_EQ(read.config.findings[0].code, "not-read");
    EXPECT_EQ(read.config.not_read.trust_place, "x: $.bundle");
    const auto desired = *reconcile::MakeDesiredState(read.config, read.options);
    EXPECT_TRUE(desired.scope.machine);
    EXPECT_FALSE(desired.scope.certificates);
    EXPECT_FALSE(desired.left_out.certificates) << "it would be taken back";
  }
  config.not_read.trust = false;
  config.certificates.clear();
  const auto none =
      Must(ReadContainer(MakeContainer(config, *reconcile::MakeDesiredState(config, {}), {.bundle = bundle}), "x"));
  EXPECT_TRUE(none.config.trust_file.present) << "an empty bundle is a statement";
}

TEST(Container, IsJsonWithoutBlanksBetweenTokens) {
  const std::string made = ContainerOf(State());
  EXPECT_THAT(made, testing::StartsWith(
                        R"({"schema":1,"userData":true,"generation":1,"source":["MachineConfig","rendered-worker-)"));
  EXPECT_THAT(made, Not(HasSubstr(R"(": )")));
  EXPECT_THAT(made, Not(HasSubstr("\n")));
}

// The operations say nothing that `proxy` says.
TEST(Container, HoldsAPasswordOncePerVariable) {
  const std::string made = ContainerOf(State());
  const std::string password = "c4nary";
  std::size_t count = 0;
  for (std::size_t at = made.find(password); at != std::string::npos; at = made.find(password, at + 1)) ++count;
  EXPECT_EQ(count, 2U) << "HTTP_PROXY and HTTPS_PROXY of proxy";
  EXPECT_THAT(made, HasSubstr(R"({"kind":"env","key":"NO_PROXY","value":null})"));
}

TEST(Container, SaysWhereItsCertificatesAre) {
  const std::string made = ContainerOf(State());
  const auto [begin, end] = CertificatesIn(made);
  EXPECT_THAT(made.substr(begin), testing::StartsWith(R"({"kind":"certificate","key":"ROOT:)"));
  EXPECT_THAT(made.substr(end), testing::StartsWith(R"(,{"kind":"env")"));
  EXPECT_EQ(CertificatesIn("{}"), std::pair(std::size_t{0}, std::size_t{0}));
}

TEST(Container, BlanksAndQuotesWithinTextsStay) {
  egress::EgressConfig config = SampleConfig();
  config.source.name = "a \"b\" \\ c";
  const auto read = Must(ReadContainer(MakeContainer(config, State(), {}), "x"));
  EXPECT_EQ(read.config.source.name, config.source.name);
}

TEST(Container, DamageIsAnError) {
  const std::string bytes = ContainerOf(State());
  EXPECT_EQ(ReadContainer("", "x").error().code, Code::kJson);
  EXPECT_EQ(ReadContainer("{}", "x").error().code, Code::kType);
  EXPECT_EQ(ReadContainer(R"({"schema":1})", "x").error().code, Code::kType);
  EXPECT_EQ(ReadContainer(R"({"schema":2,"userData":true})", "x").error().code, Code::kVersion);
  EXPECT_EQ(ReadContainer(bytes.substr(0, bytes.size() - 1), "x").error().code, Code::kJson);
  std::string other = bytes;
  const auto [begin, end] = CertificatesIn(bytes);
  const std::string value = R"("value":")";
  const std::size_t at = bytes.find(value, begin) + value.size();
  EXPECT_EQ(ReadContainer(other.replace(at, 4, "AAAA"), "x").error().code, Code::kCert);
  EXPECT_EQ(ReadContainer(other.replace(at, 4, "----"), "x").error().code, Code::kType);
}

TEST(Download, IsAUrlAndADigest) {
  const std::string digest(64, 'A');
  const auto read = Must(ParseDownload("https://h/x?y=1#sha256=" + digest, "--exe-url"));
  EXPECT_EQ(read.url, "https://h/x?y=1");
  EXPECT_EQ(read.sha256, std::string(64, 'a'));
  const auto code = [](const std::string& text) { return ParseDownload(text, "--exe-url").error().code; };
  EXPECT_EQ(code("https://h/x"), Code::kHashSpec);
  EXPECT_EQ(code("https://h/x#sha256=abc"), Code::kHashSpec);
  EXPECT_EQ(code("https://h/x#sha256=" + std::string(64, 'g')), Code::kHashSpec);
  EXPECT_EQ(code("https://h/x#md5=" + digest), Code::kHashSpec);
  for (const char* url : {"ftp://h/x", "C:\\x.exe", "", "https://", "https://h/a b", "https://h/\"", "https://h/'",
                          "https://h/#a", "https://h/\xc3\xa9", "https://user:secret@h/x"}) {
    EXPECT_EQ(code(url + ("#sha256=" + digest)), Code::kUsage) << url;
  }
}

}  // namespace
}  // namespace prov::userdata
