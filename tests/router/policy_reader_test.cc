// Each form in which a router is written gives the same policy.
#include "provisioner/router/policy_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/router/evaluation.h"
#include "provisioner/router/policy_walk.h"
#include "provisioner/router/render.h"
#include "tests/router/samples.h"
#include "tests/support/result.h"

namespace prov::router {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// With its list in a ConfigMap.
const std::string kDeployment =
    ReplacedOnce(ReplacedOnce(kRightRouter, "  name: egress-1\n", "  name: egress-1\n  namespace: egress\n"),
                 "          value: \"*.example\"\n",
                 "          valueFrom: {configMapKeyRef: {name: egress-routes, key: destination}}\n");

constexpr std::string_view kMap = R"(apiVersion: v1
kind: ConfigMap
metadata: {name: egress-routes}
data:
  destination: |
    # registries
    !*.bad.example
    *.example
)";

Result<std::vector<RouterPolicy>> ReadFiles(const std::vector<std::string_view>& files,
                                            const PolicyRequest& request = {}) {
  std::vector<PolicyFile> out;
  out.reserve(files.size());
  for (const std::string_view file : files) out.push_back({std::string(file), fmt::format("f{}", out.size() + 1)});
  return ReadRouterPolicies(out, request);
}

RouterPolicy One(const std::vector<std::string_view>& files, const PolicyRequest& request = {}) {
  auto read = ReadFiles(files, request);
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  EXPECT_TRUE(read && read->size() == 1);
  return read && !read->empty() ? std::move(read->front()) : RouterPolicy();
}

Error ReaderError(const std::vector<std::string_view>& files, const PolicyRequest& request = {}) {
  return ErrorIn(ReadFiles(files, request));
}

void ExpectHttp(const RouterPolicy& policy) {
  EXPECT_EQ(policy.kind, RouterKind::kHttpProxy);
  ASSERT_EQ(policy.http.size(), 2U);
  EXPECT_FALSE(policy.http[0].allow);
  EXPECT_EQ(policy.http[0].text, ".bad.example");
  EXPECT_EQ(policy.http[1].line, policy.http[0].line + 1);
}

TEST(PolicyReader, FormsAreToldApart) {
  EXPECT_EQ(FormOf("{}"), FileForm::kObjects);
  EXPECT_EQ(FormOf("# c\napiVersion: v1\n"), FileForm::kObjects);
  EXPECT_EQ(FormOf("---\nkind: List\n"), FileForm::kObjects);
  EXPECT_EQ(FormOf("EGRESS_SOURCE=1.2.3.4\n"), FileForm::kAssignments);
  EXPECT_EQ(FormOf("A=b\nexport EGRESS_DESTINATION=\"80\n\"\n"), FileForm::kAssignments);
  EXPECT_EQ(FormOf("80 tcp 10.0.0.1\n"), FileForm::kList);
  EXPECT_EQ(FormOf(""), FileForm::kList);
}

TEST(PolicyReader, PlainLists) {
  EXPECT_EQ(One({"80 tcp 10.0.0.1\n"}).kind, RouterKind::kRedirect);
  EXPECT_EQ(One({"80 10.0.0.1\n"}).kind, RouterKind::kDnsProxy);
  ExpectHttp(One({"!*.bad.example\n*.example\n"}));
  ExpectHttp(One({"\xEF\xBB\xBF!*.bad.example\n*.example\n"}));
  ExpectHttp(One({"!*.bad.example\n*.example\n"}, {.kind = RouterKind::kHttpProxy}));
  EXPECT_EQ(One({"10.0.0.1"}, {.kind = RouterKind::kRedirect}).redirect.size(), 1U);
  // An address alone is a fallback, or what an HTTP proxy lets through.
  const Error both = ReaderError({"10.0.0.1"});
  EXPECT_EQ(both.code, Code::kKind);
  EXPECT_THAT(both.message, HasSubstr("--kind"));
  EXPECT_EQ(ReaderError({"80 sctp 10.0.0.1"}).where, "f1: line 1");
}

TEST(PolicyReader, SourceAndGatewayOfTheCommandLine) {
  const RouterPolicy policy = One({"80 tcp 10.0.0.1\n"}, {.source = "192.0.2.10/24", .gateway = "192.0.2.1"});
  EXPECT_EQ(policy.source->address.ToString(), "192.0.2.10");
  EXPECT_EQ(policy.gateway->ToString(), "192.0.2.1");
  EXPECT_EQ(ReaderError({"80 tcp 10.0.0.1\n"}, {.source = "x"}).where, "--source");
  EXPECT_EQ(ReaderError({"80 tcp 10.0.0.1\n"}, {.gateway = "x"}).where, "--gateway");
  // What the file says counts.
  EXPECT_EQ(One({"EGRESS_SOURCE=192.0.2.9\nEGRESS_DESTINATION=10.0.0.1\n"}, {.source = "192.0.2.10"})
                .source->address.ToString(),
            "192.0.2.9");
}

TEST(PolicyReader, Assignments) {
  const RouterPolicy policy =
      One({"# of a router\nEGRESS_SOURCE=192.168.12.99/24\nexport EGRESS_GATEWAY=192.168.12.1\nOTHER=x\n"
           "EGRESS_HTTP_PROXY_DESTINATION=\"# registries\n!*.bad.example\n*.example\"\n"});
  ExpectHttp(policy);
  EXPECT_EQ(policy.http[0].line, 2U);
  EXPECT_EQ(policy.source->prefix, 24U);
  EXPECT_EQ(policy.gateway->ToString(), "192.168.12.1");
  const Error error = ReaderError({"EGRESS_DNS_PROXY_DESTINATION=\"80 10.0.0.1\n81 x\"\n"});
  EXPECT_EQ(error.where, "f1: EGRESS_DNS_PROXY_DESTINATION: line 2");
}

// Half of a list must not pass for all of it.
TEST(PolicyReader, AssignmentsThatLostAPart) {
  const Error cut = ReaderError({"EGRESS_SOURCE=192.0.2.10\nEGRESS_HTTP_PROXY_DESTINATION=\"*.a.example\n*.b.exam"});
  EXPECT_EQ(cut.code, Code::kDestination);
  EXPECT_EQ(cut.where, "f1, line 2");
  EXPECT_THAT(cut.message, StartsWith("this quote is never closed"));
  const RouterPolicy unquoted = One({"EGRESS_DESTINATION=80 tcp 10.0.0.1\n8080 tcp 10.0.0.2\n"});
  ASSERT_EQ(unquoted.findings.size(), 1U);
  EXPECT_EQ(unquoted.findings[0].code, "env-line");
  EXPECT_EQ(unquoted.findings[0].where, "f1, line 2");
  EXPECT_THAT(unquoted.findings[0].message, HasSubstr("in quotes"));
  const RouterPolicy twice = One({"EGRESS_DESTINATION=80 tcp 10.0.0.1\nEGRESS_DESTINATION=81 tcp 10.0.0.2\n"});
  EXPECT_TRUE(HasFinding(twice.findings, "env-duplicate"));
  // What is said of such a file for systemd does not matter here.
  EXPECT_TRUE(One({"A=1\nA=2\nhttp_proxy=x\nEGRESS_DESTINATION=\"80 tcp 10.0.0.1\"\n"}).findings.empty());
}

TEST(PolicyReader, APodAndItsConfigMap) {
  for (const auto& files : {std::vector<std::string_view>{kDeployment, kMap}, {kMap, kDeployment}}) {
    const RouterPolicy policy = One(files);
    ExpectHttp(policy);
    EXPECT_EQ(policy.http[0].line, 2U);
    EXPECT_EQ(policy.name, "egress-1");
    EXPECT_EQ(policy.name_space, "egress");
    EXPECT_EQ(policy.source->address.ToString(), "192.168.12.99");
    EXPECT_EQ(policy.gateway->ToString(), "192.168.12.1");
    EXPECT_THAT(policy.where, HasSubstr(": $.data.destination"));
  }
  const std::string together = fmt::format("{}---\n{}", kDeployment, kMap);
  ExpectHttp(One({together}));
}

TEST(PolicyReader, AConfigMapByItself) {
  ExpectHttp(One({kMap}));
  EXPECT_EQ(One({kMap}).name, "egress-routes");
  EXPECT_EQ(
      One({"kind: ConfigMap\nmetadata: {name: m}\ndata: {EGRESS_SOURCE: 10.0.0.9, EGRESS_DESTINATION: 10.0.0.1}\n"})
          .redirect.size(),
      1U);
}

// Every namespace has maps of certificates with one key.
TEST(PolicyReader, ConfigMapsOfOtherThings) {
  constexpr std::string_view kCertificates =
      "kind: ConfigMap\nmetadata: {name: kube-root-ca.crt}\ndata: {ca.crt: \"-----BEGIN CERTIFICATE-----\"}\n";
  ExpectHttp(One({kMap, kCertificates}));
  ExpectHttp(One({kDeployment, kMap, kCertificates}));
}

TEST(PolicyReader, WhatAConfigMapLacksIsSaid) {
  const Error absent = ReaderError({kDeployment});
  EXPECT_EQ(absent.code, Code::kInvalidConfig);
  EXPECT_THAT(absent.message, HasSubstr("give its file, too"));
  EXPECT_THAT(absent.where, StartsWith("f1: $.spec.template.spec.containers[0].env[0]"));
  const Error key = ReaderError({kDeployment, "kind: ConfigMap\nmetadata: {name: egress-routes}\ndata: {other: x}\n"});
  EXPECT_THAT(key.message, HasSubstr("has no such key"));
  // One of another namespace is not the pod's.
  const Error elsewhere = ReaderError(
      {kDeployment, "kind: ConfigMap\nmetadata: {name: egress-routes, namespace: other}\ndata: {destination: a.b}\n"});
  EXPECT_THAT(elsewhere.message, HasSubstr("not among the files"));
}

TEST(PolicyReader, AWrongModeOrAddressHasItsPlace) {
  const auto error = [](std::string_view name, std::string_view value) {
    return ReaderError(
        {fmt::format("kind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n  - name: c\n    env:\n"
                     "    - {{name: EGRESS_DESTINATION, value: 10.0.0.1}}\n    - {{name: {}, value: {}}}\n",
                     name, value)});
  };
  EXPECT_THAT(error("EGRESS_ROUTER_MODE", "inti").message, StartsWith("Unrecognized EGRESS_ROUTER_MODE 'inti'"));
  EXPECT_EQ(error("EGRESS_SOURCE", "10.0.0.1/40").where, "f1: $.spec.containers[0].env[1].value");
}

constexpr std::string_view kEgressRouter = R"(apiVersion: network.operator.openshift.io/v1
kind: EgressRouter
metadata: {name: er, namespace: egress}
spec:
  mode: Redirect
  networkInterface: {macvlan: {mode: Bridge}}
  addresses: [{ip: 192.168.12.99/24, gateway: 192.168.12.1}]
  redirect:
    redirectRules:
    - {destinationIP: 203.0.113.25, port: 80, protocol: TCP}
    - {destinationIP: 203.0.113.26, port: 8080, protocol: UDP, targetPort: 80}
    - {destinationIP: 203.0.113.27, port: 8080, protocol: SCTP}
)";

std::string EgressRouterWith(std::string_view from, std::string_view to) {
  return ReplacedOnce(std::string(kEgressRouter), from, to);
}

// Of an EgressRouter with this destination; without a port for it if that is 0.
std::string Ipv6Router(std::string_view to, int target_port) {
  const std::string target = target_port == 0 ? "" : fmt::format(", targetPort: {}", target_port);
  std::string out = EgressRouterWith("203.0.113.25, port: 80, protocol: TCP",
                                     fmt::format("\"{}\", port: 80, protocol: TCP{}", to, target));
  out = ReplacedOnce(out, "ip: 192.168.12.99/24, gateway: 192.168.12.1", "ip: 'fd00::10/64', gateway: 'fd00::1'");
  return out.substr(0, out.find("    - {destinationIP: 203.0.113.26"));
}

TEST(EgressRouter, Rules) {
  const RouterPolicy policy = One({kEgressRouter});
  EXPECT_TRUE(policy.is_cni);
  EXPECT_EQ(policy.name, "er");
  ASSERT_EQ(policy.redirect.size(), 3U);
  EXPECT_EQ(policy.redirect[1].line, 2U);
  EXPECT_EQ(policy.redirect[1].protocol, Protocol::kUdp);
  EXPECT_EQ(policy.redirect[1].to_port, 80);
  EXPECT_EQ(policy.redirect[2].protocol, Protocol::kSctp);
  EXPECT_EQ(policy.source->prefix, 24U);
  EXPECT_TRUE(policy.findings.empty());
}

TEST(EgressRouter, WhatTheOperatorDropsWithoutAWord) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {EgressRouterWith("192.168.12.99/24", "192.168.12.99"), "addresses[0].ip"},
      {EgressRouterWith("192.168.12.99/24", "192.168.12/24"), "addresses[0].ip"},
      {EgressRouterWith("gateway: 192.168.12.1", "gateway: 192.168.12"), "addresses[0].gateway"},
      {EgressRouterWith("mode: Redirect", "mode: HTTP"), "spec.mode"},
      {EgressRouterWith("203.0.113.25", "203.0.113.0/30"), "redirectRules[0].destinationIP"},
      {EgressRouterWith("203.0.113.25", "2001:db8::1"), "redirectRules[0].destinationIP"},
      {EgressRouterWith("protocol: TCP", "protocol: tcp"), "redirectRules[0].protocol"},
      {EgressRouterWith("port: 80,", "port: 0,"), "redirectRules[0].port"},
      {EgressRouterWith("targetPort: 80", "targetPort: 70000"), "redirectRules[1].targetPort"},
      {EgressRouterWith("[{ip: 192.168.12.99/24, gateway: 192.168.12.1}]", "[]"), "$.spec"}};
  for (const auto& [text, place] : wrong) {
    const Error error = ReaderError({text});
    EXPECT_EQ(error.code, Code::kDestination) << text;
    EXPECT_THAT(error.where, HasSubstr(place)) << text;
  }
}

TEST(EgressRouter, TheGatewayIsOfTheSourcesFamily) {
  const std::string ipv6 = Ipv6Router("fd00:2::8", 0);
  const auto message = [](const std::string& text, std::string_view from, std::string_view to) {
    return ReaderError({ReplacedOnce(text, from, to)}).message;
  };
  EXPECT_THAT(message(ipv6, "fd00::1'", "fd00::1/64'"), StartsWith("write an IPv6 address without a prefix"));
  EXPECT_THAT(message(ipv6, "fd00::1'", "192.0.2.1'"), StartsWith("write an IPv6 address"));
  EXPECT_THAT(message(std::string(kEgressRouter), "gateway: 192.168.12.1", "gateway: 'fd00::1'"),
              StartsWith("write an IPv4 address"));
  EXPECT_THAT(message(ipv6, "fd00::10/64", "fd00::10/640"), HasSubstr("2001:db8::10/64"));
}

TEST(EgressRouter, WhatHasNoEffectIsReported) {
  const RouterPolicy fallback = One({EgressRouterWith("  redirect:\n", "  redirect:\n    fallbackIP: 203.0.113.30\n")});
  ASSERT_EQ(fallback.findings.size(), 1U);
  EXPECT_EQ(fallback.findings[0].code, "router-fallback");
  EXPECT_THAT(fallback.findings[0].where, HasSubstr("$.spec.redirect.fallbackIP"));
  const RouterPolicy second =
      One({EgressRouterWith("gateway: 192.168.12.1}]", "gateway: 192.168.12.1}, {ip: 10.0.0.1/24}]")});
  EXPECT_TRUE(HasFinding(second.findings, "router-ignored"));
}

std::string TargetOf(const RouterPolicy& policy) { return Evaluation(policy).Explain({.port = 80}).to; }

// What nftables 1.0.6 made of the plugin's text.
TEST(EgressRouter, ThePluginReadsThePortOfAnIpv6TargetAsAddress) {
  const RouterPolicy other = One({Ipv6Router("fd00:2::8", 8080)});
  ASSERT_TRUE(HasFinding(other.findings, "router-target-port"));
  EXPECT_THAT(other.findings[0].where, HasSubstr("redirectRules[0].targetPort"));
  EXPECT_EQ(TargetOf(other), "[fd00:2::8:8080]:80");
  EXPECT_THAT(*Render(other, {.format = Format::kNft}), HasSubstr("dport 80 dnat to fd00:2::8:8080\n"));
  EXPECT_EQ(TargetOf(One({Ipv6Router("::1:2", 80)})), "[::1:2:80]:80");

  for (const auto& [to, target] :
       {std::pair("2001:db8:1:2:3:4:5:6", "[2001:db8:1:2:3:4:5:6]:8080"),
        std::pair("2001:db8:1::4:5:6:7", "[2001:db8:1:0:4:5:6:7]:8080"), std::pair("fd00:2::", "[fd00:2::]:8080")}) {
    const RouterPolicy right = One({Ipv6Router(to, 8080)});
    EXPECT_TRUE(right.findings.empty()) << to;
    EXPECT_EQ(TargetOf(right), target);
  }
  EXPECT_EQ(TargetOf(One({Ipv6Router("2001:db8:1:2:3:4:5:6", 18080)})), "[2001:db8:1:2:3:4:5:6]:18080");
  const Error refused = ReaderError({Ipv6Router("fd00:2::8", 18080)});
  EXPECT_EQ(refused.code, Code::kDestination);
  EXPECT_THAT(refused.message, HasSubstr("fd00:2::8:18080"));
}

// A map that no pod takes is a router of its own: left out, its rules would count for nobody.
TEST(PolicyReader, AConfigMapBesideOtherRouters) {
  for (const auto& files :
       {std::vector<std::string_view>{"80 tcp 10.0.0.1\n", kMap}, {kEgressRouter, kMap}, {kMap, kEgressRouter}}) {
    const auto read = Must(ReadFiles(files));
    ASSERT_EQ(read.size(), 2U);
    ExpectHttp(read[1]);
  }
  const auto taken =
      Must(ReadFiles({kDeployment, kMap, "kind: ConfigMap\nmetadata: {name: old}\ndata: {destination: a.test}\n"}));
  EXPECT_EQ(taken.size(), 2U);
}

TEST(PolicyReader, SeveralRouters) {
  const std::string two = fmt::format("{}---\n{}", kEgressRouter, EgressRouterWith("name: er", "name: er2"));
  const auto read = Must(ReadFiles({two}));
  EXPECT_EQ(read.size(), 2U);
  EXPECT_EQ(ErrorIn(ReadRouterPolicy(two, "f1")).code, Code::kKind);
}

TEST(PolicyReader, ListsOfObjects) {
  std::string list =
      "kind: EgressRouterList\nitems:\n- spec: {addresses: [{ip: 10.0.0.9/24}], redirect: {redirectRules: "
      "[{destinationIP: 10.0.0.1, port: 80, protocol: TCP}]}}\n";
  EXPECT_EQ(One({list}).redirect.size(), 1U);
}

TEST(PolicyReader, WhatHoldsNoRouter) {
  EXPECT_EQ(ReaderError({"kind: Namespace\nmetadata: {name: x}\n"}).code, Code::kKind);
  EXPECT_EQ(ReaderError({"kind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: c}]}\n"}).code, Code::kKind);
  EXPECT_EQ(ReaderError({"kind: [\n"}).code, Code::kYaml);
  EXPECT_THAT(ReaderError({"kind: [\n"}).message, Not(HasSubstr("router check")));
  const Error pasted = ReaderError({"kind: Pod\nspec:\n  containers:\n  \xE2\x80\x93 name: c\n    env: []\n"});
  EXPECT_EQ(pasted.code, Code::kYaml);
  EXPECT_THAT(pasted.message, HasSubstr("provisioner router check"));
  EXPECT_EQ(ReaderError({"{\"kind\": \n"}).code, Code::kJson);
  const Error type = ReaderError({"kind: EgressRouter\nspec: 5\n"});
  EXPECT_EQ(type.code, Code::kType);
  EXPECT_THAT(type.where, HasSubstr("f1"));
}

}  // namespace
}  // namespace prov::router
