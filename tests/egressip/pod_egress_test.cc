// What stops the traffic of a proxy's pods to the outside, and with which address it leaves.
#include "provisioner/egressip/pod_egress.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/egressip/helpers.h"
#include "tests/support/result.h"

namespace prov::egressip {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

PodEgress Made(const std::vector<std::string>& documents) {
  EgressObjects objects;
  const auto added = AddEgressObjects(Documents(documents), "f", objects);
  EXPECT_TRUE(added) << (added ? "" : added.error().message + " " + added.error().where);
  auto made = PodEgress::Make(std::move(objects), {"egress"});
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made ? *std::move(made) : *PodEgress::Make({}, {});
}

// HOST or HOST=IP,IP with port 443.
EgressTarget To(const std::string& text, std::uint16_t port = 443) {
  const std::size_t equals = text.find('=');
  EgressTarget out{.host = text.substr(0, equals), .addresses = {}, .port = port};
  if (const auto address = IpAddress::Parse(out.host)) out.addresses.emplace({*address});
  if (equals == std::string::npos) return out;
  out.addresses.emplace();
  for (std::size_t at = equals + 1; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    out.addresses->push_back(*IpAddress::Parse(text.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

const EgressPod kProxy{.name_space = "egress", .labels = Labels{{"app", "proxy"}}};

// "passes", "stopped" or "depends".
std::string Told(const PodEgressAnswer& answer) {
  using Verdict = PodEgressAnswer::Verdict;
  return answer.verdict == Verdict::kPasses ? "passes" : answer.verdict == Verdict::kStopped ? "stopped" : "depends";
}

std::string Firewall(const std::string& rules, const char* name_space = "egress") {
  return fmt::format(
      "apiVersion: k8s.ovn.org/v1\nkind: EgressFirewall\nmetadata: {{name: default, namespace: {}}}\n"
      "spec: {{egress: [{}]}}\n",
      name_space, rules);
}

std::string Policy(const std::string& name, const std::string& spec, const char* name_space = "egress") {
  return fmt::format(
      "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: {}, namespace: {}}}\nspec: {{{}}}\n",
      name, name_space, spec);
}

TEST(EgressFirewall, TheFirstRuleThatMatchesDecides) {
  const PodEgress hop = Made({Firewall(
      "{type: Allow, to: {dnsName: Quay.io.}}, {type: Allow, to: {dnsName: \"*.quay.io\"}, ports: [{protocol: TCP, "
      "port: "
      "443}]}, {type: Allow, to: {cidrSelector: 203.0.113.0/24}}, {type: Deny, to: {cidrSelector: 0.0.0.0/0}}, "
      "{type: Allow, to: {cidrSelector: 198.51.100.0/24}}")});
  const std::pair<EgressTarget, const char*> rows[] = {{To("quay.io"), "passes"},
                                                       {To("cdn.quay.io"), "passes"},
                                                       {To("cdn.quay.io=192.0.2.1", 80), "stopped"},
                                                       {To("a.cdn.quay.io=192.0.2.1"), "stopped"},
                                                       {To("203.0.113.7"), "passes"},
                                                       {To("198.51.100.7"), "stopped"},
                                                       {To("other.test"), "depends"},
                                                       {To("other.test=203.0.113.9"), "passes"},
                                                       {To("other.test=203.0.113.9,192.0.2.1"), "depends"},
                                                       {To("2001:db8::1"), "passes"}};
  for (const auto& [to, wanted] : rows) EXPECT_EQ(Told(hop.Follow(kProxy, to)), wanted) << to.host;
  const PodEgressAnswer denied = hop.Follow(kProxy, To("198.51.100.7"));
  EXPECT_THAT(denied.note, HasSubstr("rule 4 of the EgressFirewall of egress (f: $.spec.egress[3]) denies it"));
  EXPECT_EQ(denied.source, "");
  EXPECT_THAT(hop.Follow(kProxy, To("other.test")).note, HasSubstr("--resolve other.test=IP"));
  EXPECT_EQ(Told(hop.Follow({"elsewhere", Labels()}, To("198.51.100.7"))), "passes");
}

TEST(NetworkPolicyEgress, OnlyWhatARuleAllowsLeavesASelectedPod) {
  const PodEgress hop = Made(
      {Policy("https",
              "podSelector: {matchLabels: {app: proxy}}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: "
              "0.0.0.0/0, except: [198.51.100.0/24]}}], ports: [{port: 443}, {port: 8000, endPort: 8100}]}]"),
       Policy("dns", "podSelector: {}, egress: [{to: [{namespaceSelector: {}}], ports: [{protocol: UDP, port: 53}]}]"),
       Policy("in", "podSelector: {}, ingress: [{}]"),
       Policy("others", "podSelector: {}, policyTypes: [Egress]", "elsewhere")});
  EXPECT_EQ(Told(hop.Follow(kProxy, To("203.0.113.7"))), "passes");
  EXPECT_EQ(Told(hop.Follow(kProxy, To("203.0.113.7", 8080))), "passes");
  EXPECT_EQ(Told(hop.Follow(kProxy, To("203.0.113.7", 80))), "stopped");
  EXPECT_EQ(Told(hop.Follow(kProxy, To("198.51.100.7"))), "stopped");
  EXPECT_EQ(Told(hop.Follow(kProxy, To("quay.io"))), "depends") << "it may be in what is excepted";
  EXPECT_EQ(Told(hop.Follow(kProxy, To("quay.io=203.0.113.8"))), "passes");
  EXPECT_EQ(Told(hop.Follow({"egress", std::nullopt}, To("203.0.113.7"))), "depends");
  EXPECT_EQ(Told(hop.Follow({"egress", Labels()}, To("203.0.113.7"))), "stopped") << "dns selects it, too";
  EXPECT_EQ(Told(hop.Follow({"elsewhere", Labels()}, To("203.0.113.7"))), "stopped");
  EXPECT_THAT(hop.Follow(kProxy, To("203.0.113.7", 80)).note, HasSubstr("https (f: $[0]), dns (f: $[1])"));
}

TEST(NetworkPolicyEgress, WithoutRulesOrTypes) {
  EXPECT_EQ(Told(Made({Policy("none", "podSelector: {}")}).Follow(kProxy, To("203.0.113.7"))), "passes");
  EXPECT_EQ(Told(Made({Policy("all", "podSelector: {}, egress: [{}]")}).Follow(kProxy, To("203.0.113.7"))), "passes");
  EXPECT_EQ(Told(Made({Policy("named", "podSelector: {}, egress: [{ports: [{port: https}]}]")})
                     .Follow(kProxy, To("203.0.113.7"))),
            "stopped")
      << "a named port is one of a pod";
}

std::vector<std::string> Cluster(const std::string& selector, const std::string& more = "") {
  return {NodeYaml("worker-1", "k8s.ovn.org/egress-assignable: \"\"",
                   "k8s.ovn.org/node-primary-ifaddr: '{\"ipv4\":\"10.0.0.1/24\",\"ipv6\":\"fd00::1/64\"}', "
                   "k8s.ovn.org/host-cidrs: '[\"10.0.0.1/24\"]'",
                   "10.0.0.1"),
          EgressIpYaml("out", "10.0.0.99", selector, more)};
}

TEST(PodEgress, AnEgressIpGivesTheSource) {
  const std::string by_name = "matchLabels: {kubernetes.io/metadata.name: egress}";
  const PodEgress hop = Made(Cluster(by_name, "  podSelector: {matchLabels: {app: proxy}}\n"));
  EXPECT_THAT(hop.findings(), IsEmpty());
  const PodEgressAnswer answer = hop.Follow(kProxy, To("quay.io"));
  EXPECT_EQ(answer.source, "10.0.0.99");
  EXPECT_THAT(answer.note, HasSubstr("10.0.0.99 on worker-1"));
  EXPECT_EQ(hop.Follow({"egress", Labels{{"app", "web"}}}, To("quay.io")).source, "");
  EXPECT_THAT(hop.Follow({"egress", std::nullopt}, To("quay.io")).note, HasSubstr("labels"));
  EXPECT_EQ(hop.Follow(kProxy, To("2001:db8::1")).source, "") << "no address of IPv6";
  EXPECT_EQ(hop.OnlyNamespace(), "egress");

  const PodEgress unknown = Made(Cluster("matchLabels: {team: a}"));
  ASSERT_EQ(unknown.findings().size(), 2U) << "the EgressIP selects nothing, either";
  EXPECT_EQ(unknown.findings()[0].code, "egress-ip-incomplete");
  EXPECT_THAT(unknown.Follow(kProxy, To("quay.io")).note, HasSubstr("leaves with the address of its node"));
}

TEST(PodEgress, WhatAlsoDecidesIsNamed) {
  const PodEgress hop = Made({Firewall(""),
                              "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\n"
                              "metadata: {name: a}\n"});
  ASSERT_EQ(hop.findings().size(), 1U);
  EXPECT_EQ(hop.findings()[0].code, "egress-unread");
  EXPECT_EQ(hop.findings()[0].where, "f: $[1]");
  const PodEgress names = Made({Firewall("{type: Deny, to: {dnsName: a.test}}")});
  ASSERT_EQ(names.findings().size(), 1U);
  EXPECT_EQ(names.findings()[0].code, "egress-dns-name");
}

TEST(PodEgress, MalformedPoliciesHaveTheirPlace) {
  const auto error = [](const std::string& text) {
    EgressObjects objects;
    return ErrorIn(AddEgressObjects(text, "f", objects));
  };
  EXPECT_EQ(error(Firewall("{type: allow, to: {dnsName: a.test}}")).where, "f: $.spec.egress[0].type");
  EXPECT_EQ(error(Firewall("{type: Deny, to: {cidrSelector: 10.0.0.0}}")).where, "f: $.spec.egress[0].to.cidrSelector");
  EXPECT_EQ(error(Policy("a", "podSelector: {}, egress: [{to: [{ipBlock: {cidr: x}}]}]")).code, Code::kInvalidConfig);
  EXPECT_EQ(error(Firewall("") + "---\n" + Firewall("")).code, Code::kInvalidConfig);
  EgressObjects two;
  EXPECT_TRUE(AddEgressObjects(Firewall("") + "---\n" + Firewall("", "elsewhere"), "f", two));
  EXPECT_EQ(two.firewalls.size(), 2U);
}

}  // namespace
}  // namespace prov::egressip
