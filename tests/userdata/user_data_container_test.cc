#include "provisioner/userdata/user_data_container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sample.h"

namespace prov::userdata {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::SampleConfig;

reconcile::DesiredState State(const reconcile::DesiredOptions& options = {}) {
  return *reconcile::MakeDesiredState(SampleConfig(), options);
}

Container ContainerOf(const reconcile::DesiredState& state, const ContainerOptions& options = {}) {
  return *MakeContainer(SampleConfig(), state, options, false);
}

TEST(Container, KeepsTheChoices) {
  reconcile::DesiredOptions options;
  options.scope.machine = false;
  options.scope.win_inet = true;
  options.credentials = reconcile::CredentialPolicy::kServices;
  options.services = {"kubelet", "containerd"};
  options.store.root_only = true;
  options.store.import_leaf = true;
  options.store.named = {std::string(64, 'a')};
  options.win_http_octets = true;
  const auto read = ReadContainer(ContainerOf(State(options), {.generation = 4}).Bytes(), "x");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->generation, 4);
  EXPECT_EQ(read->options.scope, options.scope);
  EXPECT_EQ(read->options.credentials, options.credentials);
  EXPECT_EQ(read->options.services, options.services);
  EXPECT_TRUE(read->options.store.root_only);
  EXPECT_TRUE(read->options.store.import_leaf);
  EXPECT_EQ(read->options.store.named, options.store.named);
  EXPECT_TRUE(read->options.win_http_octets);
}

// A source without a file says nothing of what is in it, and the node is left alone there.
TEST(Container, KeepsWhatTheSourceSaysNothingOf) {
  egress::EgressConfig config = SampleConfig();
  config.proxy_file.present = false;
  config.http_proxy.reset();
  config.https_proxy.reset();
  config.no_proxy.reset();
  const auto state = *reconcile::MakeDesiredState(config, {});
  const auto read = ReadContainer(MakeContainer(config, state, {}, false)->Bytes(), "x");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->config.proxy_file.present);
  EXPECT_TRUE(read->config.trust_file.present);
  EXPECT_EQ(reconcile::MakeDesiredState(read->config, read->options)->scope, state.scope);
}

TEST(Container, IsOneLineOfJsonAndThenCertificates) {
  const Container made = ContainerOf(State());
  EXPECT_EQ(made.json.find('\n'), made.json.size() - 1);
  EXPECT_THAT(made.json,
              testing::StartsWith(R"({"userData":1,"generation":1,"source":["MachineConfig","rendered-worker-)"));
  EXPECT_THAT(made.json, Not(HasSubstr(R"(": )")));
  EXPECT_THAT(made.certificates, testing::StartsWith("\x30\x82"));
}

TEST(Container, BlanksAndQuotesWithinTextsStay) {
  egress::EgressConfig config = SampleConfig();
  config.source.name = "a \"b\" \\ c";
  const auto read = ReadContainer(MakeContainer(config, State(), {}, false)->Bytes(), "x");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->config.source.name, config.source.name);
}

TEST(Container, DamageIsAnError) {
  const std::string bytes = ContainerOf(State()).Bytes();
  EXPECT_EQ(ReadContainer("", "x").error().code, Code::kJson);
  EXPECT_EQ(ReadContainer("{}", "x").error().code, Code::kJson);
  EXPECT_EQ(ReadContainer("{}\n", "x").error().code, Code::kType);
  EXPECT_EQ(ReadContainer("{\"userData\":2}\n", "x").error().code, Code::kVersion);
  EXPECT_EQ(ReadContainer(bytes.substr(0, bytes.size() - 1), "x").error().code, Code::kCert);
  EXPECT_EQ(ReadContainer(bytes + "\x30", "x").error().code, Code::kCert);
  EXPECT_EQ(ReadContainer(bytes + std::string("\x30\x03\x02\x01\x01", 5), "x").error().code, Code::kCert);
}

TEST(Container, CertificatesThatTheScriptCantReadAreRefused) {
  auto state = State();
  state.certificates.front().certificate.der = std::string("\x30\x03\x02\x01\x01", 5);
  EXPECT_EQ(MakeContainer(SampleConfig(), state, {}, false).error().code, Code::kSizeLimit);
}

TEST(Download, IsAUrlAndADigest) {
  const std::string digest(64, 'A');
  const auto read = ParseDownload("https://h/x?y=1#sha256=" + digest, "--exe-url");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->url, "https://h/x?y=1");
  EXPECT_EQ(read->sha256, std::string(64, 'a'));
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
