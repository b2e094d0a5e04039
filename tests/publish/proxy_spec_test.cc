#include "provisioner/publish/proxy_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/egress/no_proxy.h"
#include "tests/publish/samples.h"
#include "tests/support/finding_codes.h"
#include "tests/support/paths.h"
#include "tests/support/result.h"

namespace prov::publish {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

ProxySpec Spec(std::string http, std::string https = "", std::string no_proxy = "") {
  ProxySpec out;
  out.name = "cluster";
  out.values = {Secret(std::move(http)), Secret(std::move(https)), std::move(no_proxy)};
  return out;
}

std::vector<std::string> Errors(const ProxySpec& spec) { return ValidateProxySpec(spec); }

TEST(ProxySpec, NothingSetIsNotChecked) {
  ProxySpec spec = Spec("");
  spec.readiness_endpoints = {"no uri"};
  EXPECT_THAT(Errors(spec), IsEmpty());
}

TEST(ProxySpec, TheOperatorsWords) {
  EXPECT_THAT(Errors(Spec("", "", "a.example")), ElementsAre("httpProxy or httpsProxy must be set when using proxy"));
  EXPECT_THAT(Errors(Spec("https://p:1")), ElementsAre("httpProxy requires a 'http' URI scheme"));
  EXPECT_THAT(Errors(Spec("", "ftp://p:1")), ElementsAre("httpsProxy requires a 'http' or 'https' URI scheme"));
  EXPECT_THAT(Errors(Spec("redhat.com")),
              ElementsAre(R"(invalid httpProxy URI: parse "redhat.com": invalid URI for request)"));
  EXPECT_THAT(
      Errors(Spec("http://p", "http://1.2.3.4:8080808080")),
      ElementsAre(
          R"(invalid httpsProxy URI: failed to validate port for URL "http://1.2.3.4:8080808080": invalid port number: 8080808080)"));
  EXPECT_THAT(Errors(Spec("http://p", "", "*.x")), ElementsAre("invalid noProxy: *.x"));
  EXPECT_THAT(Errors(Spec("http://p", "", "a, x:80 ,b")), ElementsAre("invalid noProxy: x:80"));
  EXPECT_THAT(Errors(Spec("http://p", "", "a,")), ElementsAre("invalid noProxy: "));
}

TEST(ProxySpec, TheFirstErrorIsTheOneTheOperatorReports) {
  EXPECT_THAT(Errors(Spec("ftp://p", "ftp://p", "*.x")),
              ElementsAre("httpProxy requires a 'http' URI scheme",
                          "httpsProxy requires a 'http' or 'https' URI scheme", "invalid noProxy: *.x"));
}

TEST(ProxySpec, WhatTheOperatorTakesIsTaken) {
  for (const char* url :
       {"http://", "http://:3128", "http:p:1", "http://::1:3128", "HTTP://p", "http://p_x:1", "http://p?x"})
    EXPECT_THAT(Errors(Spec(url)), IsEmpty()) << url;
  EXPECT_THAT(Errors(Spec("", "https://u:p@p:1")), IsEmpty());
  EXPECT_THAT(Errors(Spec("http://p", "", "*")), IsEmpty());
}

TEST(ProxySpec, TheSharedRowsOfTheOperator) {
  const std::string text = testing_support::ReadAll(testing_support::TestsFolder() +
                                                    "/../../shared/cases/egress/cno-validation-upstream.json");
  if (text.empty()) GTEST_SKIP() << "NOT RUN: no ../shared/cases/egress/cno-validation-upstream.json";
  const auto cases = ParseJson(text, JsonLimits());
  ASSERT_TRUE(cases);
  std::size_t groups = 0;
  for (const auto& group : (*cases)->root()["cases"].GetArray()) {
    const bool uri = JsonTextOf(group["what"]) == "URI";
    ASSERT_TRUE(uri || JsonTextOf(group["what"]) == "IPAddressOrCIDR") << "an unknown group";
    ++groups;
    const auto takes = [&](const JsonValue& row) {
      const std::string value(JsonTextOf(row));
      return uri ? Errors(Spec("", value)).empty() : egress::IsAddressOrRange(value);
    };
    for (const auto& row : group["valid"].GetArray()) EXPECT_TRUE(takes(row)) << row.GetString();
    for (const auto& row : group["invalid"].GetArray()) EXPECT_FALSE(takes(row)) << row.GetString();
  }
  EXPECT_EQ(groups, 2U);
}

TEST(ProxySpec, Endpoints) {
  ProxySpec spec = Spec("http://p:1", "https://p:2");
  spec.readiness_endpoints = {"https://quay.io", "http://a.example"};
  EXPECT_THAT(Errors(spec), IsEmpty());
  spec.values.http_proxy = Secret();
  EXPECT_THAT(Errors(spec), ElementsAre("endpoint 'http://a.example' requires a `http` proxy scheme"));
  spec.readiness_endpoints = {"quay.io"};
  EXPECT_THAT(Errors(spec),
              ElementsAre(R"(invalid URI for readinessEndpoint 'quay.io': parse "quay.io": invalid URI for request)"));
  spec.readiness_endpoints = {"ftp://quay.io"};
  EXPECT_THAT(Errors(spec), ElementsAre("a proxy readiness endpoint requires a 'http' or 'https' URI sheme"));
}

TEST(ProxySpec, WhichProxyIsAsked) {
  const ProxySpec both = Spec("http://a", "http://b");
  EXPECT_EQ(ProxyFor(both.values, "http").Reveal(), "http://a");
  EXPECT_EQ(ProxyFor(both.values, "https").Reveal(), "http://b");
  EXPECT_EQ(ProxyFor(Spec("http://a").values, "https").Reveal(), "http://a");
  EXPECT_EQ(ProxyFor(Spec("", "http://b").values, "http").Reveal(), "http://b");
}

TEST(ProxySpec, DoubtsAreFindings) {
  Findings findings;
  ReviewProxySpec(Spec("http://:3128", "http://p", "a, b.example"), "f", findings);
  EXPECT_THAT(findings, Contains(Field(&Finding::code, "proxy-url")));
  EXPECT_THAT(findings, Contains(Field(&Finding::code, "no-proxy-blank")));
  ProxySpec other = Spec("http://p:1", "http://p:1");
  other.name = "mine";
  findings.clear();
  ReviewProxySpec(other, "f", findings);
  EXPECT_THAT(findings, ElementsAre(Field(&Finding::code, "proxy-name")));
}

TEST(ProxySpec, AProxyForOneSchemeAloneIsNamed) {
  const auto codes = [](const ProxySpec& spec) {
    Findings findings;
    ReviewProxySpec(spec, "f", findings);
    return testing_support::CodesOf(findings);
  };
  EXPECT_THAT(codes(Spec("http://p:1")), ElementsAre("https-direct"));
  EXPECT_THAT(codes(Spec("http://p:1", "http://p:1")), IsEmpty());
  EXPECT_THAT(codes(Spec("", "http://p:1")), ElementsAre("http-direct"));
}

TEST(ProxySpec, NeitherErrorsNorFindingsHoldAPassword) {
  const std::string url = std::string("http://u:") + kPassword;
  for (const std::string& bad : {url + "@h:x", url + "/@h", url, "ftp" + url.substr(4) + "@h", url + " @h"}) {
    ProxySpec spec = Spec(bad, bad, "a," + bad);
    spec.readiness_endpoints = {bad};
    Findings findings;
    ReviewProxySpec(spec, "f", findings);
    EXPECT_THAT(testing::PrintToString(Errors(spec)), Not(HasSubstr("c4nAry"))) << bad;
    for (const Finding& finding : findings) EXPECT_THAT(finding.message, Not(HasSubstr("c4nAry"))) << bad;
  }
}

TEST(ProxySpec, ItemsAreNamedWithoutPasswords) {
  EXPECT_THAT(Errors(Spec("http://p", "", "a,b,fe80::1%eth0")), ElementsAre("invalid noProxy: fe80::1%eth0"));
  EXPECT_THAT(Errors(Spec("http://p", "", "a,b,h%41:x")), ElementsAre("invalid noProxy: *** (item 3)"))
      << "where nothing can be shown, its place is";
}

TEST(ProxySpec, AHostileListGivesFewErrors) {
  std::string list;
  for (int i = 0; i < 100'000; ++i) list += "A,";
  EXPECT_THAT(Errors(Spec("http://p", "", list)), SizeIs(20));
  ProxySpec spec = Spec("http://p");
  spec.readiness_endpoints.assign(100'000, "x");
  EXPECT_THAT(Errors(spec), SizeIs(testing::Le(40U)));
}

Result<ProxySpec> Read(const std::string& yaml) {
  const auto object = ReadObject(yaml, "proxy.yaml", "Proxy", "config.openshift.io");
  if (!object) return std::unexpected(object.error());
  return ReadProxySpec(ViewOf(*object));
}

TEST(ProxySpec, IsReadFromAnObject) {
  const auto spec = Must(Read(FullProxy() + "  readinessEndpoints:\n  - https://quay.io\nstatus:\n  noProxy: old\n"));
  EXPECT_EQ(spec.name, "cluster");
  EXPECT_EQ(spec.trusted_ca, "user-ca-bundle");
  EXPECT_THAT(spec.readiness_endpoints, ElementsAre("https://quay.io"));
  EXPECT_EQ(spec.status.no_proxy, "old");
  EXPECT_TRUE(Read(ProxyYaml("  {}\n"))->values.IsEmpty());
}

TEST(ProxySpec, WrongTypesAreNamed) {
  const Error number = ErrorIn(Read(ProxyYaml("  httpProxy: 3128\n")));
  EXPECT_EQ(number.code, Code::kType);
  EXPECT_EQ(number.where, "proxy.yaml: $.spec.httpProxy");
  EXPECT_EQ(Read("apiVersion: config.openshift.io/v1\nkind: Proxy\n").error().code, Code::kType) << "no spec";
  EXPECT_EQ(Read(ProxyYaml("  readinessEndpoints: x\n")).error().code, Code::kType);
  EXPECT_EQ(Read(ProxyYaml("  readinessEndpoints: [1]\n")).error().where, "proxy.yaml: $.spec.readinessEndpoints[0]");
  EXPECT_EQ(Read(ProxyYaml("  trustedCA: x\n")).error().code, Code::kType);
  EXPECT_EQ(Read(ProxyYaml("  noProxy: " + std::string(2 << 20, 'a') + "\n")).error().code, Code::kTooLarge);
}

}  // namespace
}  // namespace prov::publish
