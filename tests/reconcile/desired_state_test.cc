#include "provisioner/reconcile/desired_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "images/registry/registry_key.h"
#include "tests/support/finding_codes.h"
#include "tests/support/make_certificate.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::reconcile {
namespace {

using egress::EgressConfig;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Not;
using testing_support::HasCode;
using testing_support::SampleConfig;

DesiredState Make(const EgressConfig& config, const DesiredOptions& options = {}) {
  return Must(MakeDesiredState(config, options));
}

std::vector<std::string> Names(const std::vector<EnvironmentVariable>& variables) {
  std::vector<std::string> out;
  for (const auto& v : variables) out.push_back(v.name);
  return out;
}

TEST(DesiredState, HoldsEverythingTheSourceStates) {
  DesiredOptions options;
  options.services = {"containerd"};
  const DesiredState state = Make(SampleConfig(), options);
  EXPECT_THAT(Names(state.environment), ElementsAre("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"));
  EXPECT_EQ(state.environment[0].value.Reveal(), "http://user:c4nary%40@proxy.example.com:3128");
  EXPECT_EQ(state.environment[2].value.Reveal(), ".svc,10.0.0.0/16,localhost,example.com")
      << "as given: Go's text is the truth";
  ASSERT_EQ(state.services.size(), 1U);
  EXPECT_EQ(state.services[0].variables.size(), 3U);
  ASSERT_TRUE(state.win_http.has_value());
  EXPECT_EQ(state.win_http->proxy, "proxy.example.com:3128") << "no scheme, no credentials";
  EXPECT_EQ(state.win_http->bypass.find('/'), std::string::npos);
  EXPECT_THAT(state.findings, HasCode("winhttp-cidr"));
  ASSERT_EQ(state.certificates.size(), 3U);
  EXPECT_EQ(state.certificates[0].store, pki::Store::kRoot);
  EXPECT_EQ(state.certificates[1].store, pki::Store::kRoot);
  EXPECT_LT(state.certificates[0].certificate.sha1, state.certificates[1].certificate.sha1);
  EXPECT_EQ(state.certificates[2].store, pki::Store::kCa);
  EXPECT_TRUE(state.holds_credentials);
}

TEST(DesiredState, ACertificateThatTheRegistryCannotHoldIsRefused) {
  EgressConfig config = SampleConfig();
  config.certificates.resize(1);
  pki::Certificate& one = config.certificates[0];
  one.self_signed = one.self_issued = false;  // its signature is not looked at then
  constexpr std::size_t kProperties = 44;     // the SHA-1, and the heads of two properties
  one.der.resize(images::kMaxValueBytes - kProperties);
  EXPECT_TRUE(MakeDesiredState(config, {}));
  one.der += '\0';
  EXPECT_EQ(ErrorIn(MakeDesiredState(config, {})).code, Code::kSizeLimit);
}

TEST(DesiredState, EachPolicyForCredentialsIsStated) {
  DesiredOptions options;
  options.services = {"containerd"};
  options.credentials = CredentialPolicy::kServices;
  const DesiredState services = Make(SampleConfig(), options);
  EXPECT_EQ(services.environment[0].value.Reveal(), "http://proxy.example.com:3128");
  EXPECT_EQ(services.services[0].variables[0].value.Reveal(), "http://user:c4nary%40@proxy.example.com:3128");
  EXPECT_TRUE(services.holds_credentials);
  EXPECT_THAT(services.findings, HasCode("credentials-services"));

  options.credentials = CredentialPolicy::kNone;
  const DesiredState none = Make(SampleConfig(), options);
  EXPECT_EQ(none.environment[0].value.Reveal(), "http://proxy.example.com:3128");
  EXPECT_EQ(none.services[0].variables[1].value.Reveal(), "http://proxy.example.com:3128");
  EXPECT_FALSE(none.holds_credentials);
  EXPECT_THAT(none.findings, HasCode("credentials-none"));

  EXPECT_THAT(Make(SampleConfig()).findings, HasCode("credentials-machine"));
  EgressConfig open = SampleConfig();
  open.http_proxy = open.https_proxy = Secret("http://proxy.example.com:3128");
  const DesiredState without = Make(open);
  EXPECT_FALSE(without.holds_credentials);
  EXPECT_THAT(without.findings, Not(HasCode("credentials-machine")));
}

TEST(DesiredState, ATokenInTheQueryIsACredential) {
  EgressConfig config = SampleConfig();
  config.http_proxy = Secret("http://proxy.example.com:3128/?token=c4nary");
  config.https_proxy = config.http_proxy;
  EXPECT_TRUE(Make(config).holds_credentials);
  DesiredOptions options;
  options.credentials = CredentialPolicy::kNone;
  const DesiredState none = Make(config, options);
  EXPECT_FALSE(none.holds_credentials);
  EXPECT_EQ(none.environment[0].value.Reveal(), "http://proxy.example.com:3128/");
}

TEST(DesiredState, CredentialsForServicesWithoutAServiceAreStoredNowhere) {
  DesiredOptions options;
  options.credentials = CredentialPolicy::kServices;
  const DesiredState state = Make(SampleConfig(), options);
  EXPECT_FALSE(state.holds_credentials);
  EXPECT_THAT(state.findings, HasCode("credentials-services"));
}

TEST(DesiredState, WhatTheSourceDoesNotStateIsOutOfScope) {
  EgressConfig config = SampleConfig();
  config.proxy_file.present = false;
  config.http_proxy = config.https_proxy = std::nullopt;
  config.no_proxy = std::nullopt;
  EXPECT_THAT(Make(config).scope.Names(), ElementsAre("certs"));
  config = SampleConfig();
  config.trust_file.present = false;
  config.certificates.clear();
  EXPECT_THAT(Make(config).scope.Names(), ElementsAre("machine", "services", "winhttp"));
}

TEST(DesiredState, TheExplicitEmptyIsInScopeAndEmpty) {
  EgressConfig config = SampleConfig();
  config.http_proxy = Secret("");
  config.https_proxy = std::nullopt;
  config.no_proxy = "";
  config.certificates.clear();
  const DesiredState state = Make(config);
  EXPECT_THAT(state.scope.Names(), ElementsAre("machine", "services", "winhttp", "certs"));
  EXPECT_THAT(state.environment, IsEmpty()) << "an empty assignment means unset";
  EXPECT_FALSE(state.win_http.has_value());
}

TEST(DesiredState, ScopeLimitsWhatIsManaged) {
  DesiredOptions options;
  options.services = {"containerd"};
  options.scope = {.machine = false, .services = false, .win_http = true, .certificates = false};
  const DesiredState state = Make(SampleConfig(), options);
  EXPECT_THAT(state.environment, IsEmpty());
  EXPECT_THAT(state.services, IsEmpty());
  EXPECT_THAT(state.certificates, IsEmpty());
  EXPECT_TRUE(state.win_http.has_value());
  EXPECT_FALSE(state.holds_credentials) << "WinHTTP can't carry any";
}

TEST(DesiredState, WinInetIsManagedOnlyWhenAskedForAndGetsWhatWinHttpGets) {
  EXPECT_FALSE(Make(SampleConfig()).win_inet.has_value());
  DesiredOptions options;
  EXPECT_TRUE(options.scope.Add("wininet"));
  const DesiredState both = Make(SampleConfig(), options);
  EXPECT_THAT(both.scope.Names(), ElementsAre("machine", "services", "winhttp", "wininet", "certs"));
  EXPECT_EQ(both.win_inet, both.win_http);
  EXPECT_THAT(both.findings, HasCode("wininet-machine-wide"));
  options.scope = {false, false, false, false, true};
  const DesiredState alone = Make(SampleConfig(), options);
  EXPECT_EQ(alone.win_inet, both.win_inet);
  EXPECT_FALSE(alone.win_http.has_value());
  EgressConfig silent = SampleConfig();
  silent.proxy_file.present = false;
  silent.http_proxy = silent.https_proxy = std::nullopt;
  silent.no_proxy = std::nullopt;
  EXPECT_FALSE(Make(silent, options).scope.win_inet);
}

TEST(DesiredState, AMalformedProxyUrlIsRefusedAsFailOpen) {
  for (const char* bad : {"http://", "socks5://p:1", "http://p:99999", "http://user:c4nary@p:x",
                          "http://p:", "http://:c4nary@p:1", "http://user:c4nary%0A@p:1"}) {
    EgressConfig config = SampleConfig();
    config.https_proxy = Secret(bad);
    const auto state = MakeDesiredState(config, {});
    ASSERT_FALSE(state) << bad;
    EXPECT_EQ(state.error().code, Code::kFailOpen) << bad;
    EXPECT_NE(state.error().where.find("HTTPS_PROXY"), std::string::npos);
    EXPECT_EQ(state.error().message.find("c4nary"), std::string::npos);
  }
}

TEST(DesiredState, ControlCharactersInNoProxyAreRefused) {
  EgressConfig config = SampleConfig();
  config.no_proxy = "a\x01";
  EXPECT_EQ(ErrorIn(MakeDesiredState(config, {})).code, Code::kNoProxy);
}

TEST(DesiredState, AListTooLongForWindowsIsRefusedAndALongOneReported) {
  EgressConfig config = SampleConfig();
  std::string list = "a.example";
  while (list.size() < 3000) list += ",host" + std::to_string(list.size()) + ".example";
  config.no_proxy = list;
  EXPECT_THAT(Make(config).findings, HasCode("env-long"));
  while (list.size() < 33000) list += ",host" + std::to_string(list.size()) + ".example";
  config.no_proxy = list;
  EXPECT_EQ(ErrorIn(MakeDesiredState(config, {})).code, Code::kSizeLimit);
}

TEST(DesiredState, DuplicatesAndSubtractedCertificatesAreLeftOut) {
  EgressConfig config = SampleConfig();
  config.certificates.push_back(config.certificates[0]);
  DesiredOptions options;
  options.subtract = {config.certificates[1].sha256};
  const DesiredState state = Make(config, options);
  EXPECT_EQ(state.certificates.size(), 2U);
  EXPECT_THAT(state.findings, HasCode("subtracted"));
}

TEST(DesiredState, ARootWhoseOwnSignatureIsWrongIsRefused) {
  EgressConfig config = SampleConfig();
  config.certificates[0].der.back() = static_cast<char>(config.certificates[0].der.back() ^ 1);
  EXPECT_EQ(ErrorIn(MakeDesiredState(config, {})).code, Code::kCert);
}

pki::Certificate Made(const test::CertificateSpec& spec) {
  return *pki::ParseCertificate(test::MakeCertificate(spec).der, "");
}

TEST(DesiredState, OneCaThatNobodyMayTrustDoesNotLoseTheOthers) {
  EgressConfig config = SampleConfig();
  test::CertificateSpec weak;
  weak.subject = {{"CN", "weak"}};
  weak.key = "rsa1024";
  test::CertificateSpec server;
  server.subject = {{"CN", "proxy.example.com"}};
  server.ca = false;
  config.certificates.push_back(Made(weak));
  config.certificates.push_back(Made(server));
  config.certificates[0].rejected = true;
  const DesiredState state = Make(config);
  std::vector<std::string> subjects;
  for (const CertificateItem& item : state.certificates) subjects.push_back(item.certificate.subject);
  EXPECT_THAT(subjects, testing::UnorderedElementsAre(config.certificates[1].subject, config.certificates[2].subject));
  std::vector<std::string> told;
  for (const Finding& f : state.findings) {
    if (f.code == "untrusted") told.push_back(f.message);
  }
  EXPECT_THAT(told, ElementsAre(testing::HasSubstr("trust settings"), testing::HasSubstr("rsa, 1024 bits"),
                                testing::HasSubstr("is not a CA")));
  for (const std::size_t at : {0U, 3U, 4U}) {
    DesiredOptions options;
    options.trusted = {config.certificates[at].sha256};
    const DesiredState named = Make(config, options);
    EXPECT_EQ(named.certificates.size(), 3U);
    EXPECT_THAT(named.certificates, Contains(Field(&CertificateItem::certificate,
                                                   Field(&pki::Certificate::sha256, config.certificates[at].sha256))));
  }
}

TEST(DesiredState, ABundleOfWhichNothingWouldBeLeftIsRefused) {
  EgressConfig config = SampleConfig();
  test::CertificateSpec weak;
  weak.key = "rsa1024";
  config.certificates = {Made(weak)};
  const Error state = ErrorIn(MakeDesiredState(config, {}));
  EXPECT_EQ(state.code, Code::kCert);
  EXPECT_EQ(state.where, config.trust_file.path);
  EXPECT_THAT(state.message, testing::HasSubstr("--trust " + config.certificates[0].sha256));
  DesiredOptions elsewhere;
  elsewhere.scope.certificates = false;
  EXPECT_THAT(Make(config, elsewhere).findings, Not(HasCode("untrusted"))) << "certificates are not managed";
}

}  // namespace
}  // namespace prov::reconcile
