#include "provisioner/router/request_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prov::router {
namespace {

using egress::Dialect;
using egress::Explainer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

HttpRule Rule(std::size_t line, bool allow, const char* domain) {
  HttpRule out{.line = line, .allow = allow, .match = HttpRule::Match::kDomain, .text = domain, .network = {}};
  if (out.text == "*") out.match = HttpRule::Match::kAll;
  return out;
}

HttpRule Network(std::size_t line, bool allow, const char* network) {
  return {.line = line,
          .allow = allow,
          .match = HttpRule::Match::kNetwork,
          .text = network,
          .network = IpNetwork::Parse(network)};
}

RouterPolicy HttpRouter(std::vector<HttpRule> rules, const char* source = "10.42.253.45") {
  RouterPolicy out;
  out.kind = RouterKind::kHttpProxy;
  out.where = "policy";
  out.http = std::move(rules);
  out.source = SourceAddress{*IpAddress::Parse(source), 24};
  return out;
}

RouterPolicy Redirect(std::uint16_t port, const char* to, std::uint16_t to_port) {
  RouterPolicy out;
  out.where = "redirect";
  out.redirect.push_back({.line = 2, .port = port, .to = *IpAddress::Parse(to), .to_port = to_port});
  out.source = SourceAddress{*IpAddress::Parse("10.42.253.46"), std::nullopt};
  return out;
}

Explainer Settings(const char* proxy, const char* no_proxy = "") {
  auto made = Explainer::Make({Secret(proxy), Secret(proxy), no_proxy, false});
  EXPECT_TRUE(made);
  return *std::move(made);
}

RequestPath Follow(const RouterChain& chain, const Explainer& explainer, const char* url,
                   Dialect client = Dialect::kGo) {
  const auto to = egress::ParseDestination(url);
  EXPECT_TRUE(to) << url;
  return chain.Follow(*to, explainer.Decide(client, *to));
}

std::vector<RouterPolicy> Of(RouterPolicy one) {
  std::vector<RouterPolicy> out;
  out.push_back(std::move(one));
  return out;
}

TEST(RequestPath, AProxiedRequestIsJudgedByTheOnlyHttpProxy) {
  const RouterChain chain(Of(HttpRouter({Rule(3, false, "cdn.quay.io"), Rule(5, true, ".quay.io")})), {});
  const Explainer settings = Settings("http://user:pw@10.0.0.9:8080", ".svc");
  for (const Dialect client : egress::kDialects) {
    if (client == Dialect::kWinHttp || client == Dialect::kWinInet) continue;  // credentials are not carried
    const RequestPath allowed = Follow(chain, settings, "https://quay.io/", client);
    EXPECT_EQ(allowed.decision(), "allow") << egress::NameOf(client);
    EXPECT_TRUE(allowed.Passes());
    EXPECT_EQ(allowed.line, 5U);
    EXPECT_EQ(allowed.source, "10.42.253.45");
    EXPECT_EQ(allowed.to, "quay.io:443");
    ASSERT_NE(allowed.router, nullptr);
    EXPECT_EQ(allowed.router->where, "policy");
    const RequestPath denied = Follow(chain, settings, "https://cdn.quay.io/", client);
    EXPECT_EQ(denied.decision(), "deny");
    EXPECT_FALSE(denied.Passes());
    EXPECT_EQ(denied.line, 3U);
    EXPECT_EQ(denied.source, "");
  }
}

// Their settings have HOST:PORT and no URL.
TEST(RequestPath, TheProxyOfWinHttpAndJavaIsFollowed) {
  const RouterChain chain(Of(HttpRouter({Rule(1, true, "*")})), {});
  const Explainer settings = Settings("http://proxy.example.com:8080");
  for (const Dialect client : egress::kDialects)
    EXPECT_EQ(Follow(chain, settings, "http://a.example/", client).decision(), "allow") << egress::NameOf(client);
}

TEST(RequestPath, ADirectRequestTakesNoRouter) {
  const RouterChain chain(Of(HttpRouter({Rule(1, true, "*")})), {});
  const RequestPath way = Follow(chain, Settings("http://10.0.0.9:8080", "10.0.0.0/8"), "https://10.1.2.3:8443/");
  EXPECT_EQ(way.decision(), "direct");
  EXPECT_TRUE(way.Passes());
  EXPECT_EQ(way.to, "10.1.2.3:8443");
  EXPECT_EQ(way.source, "");
  EXPECT_THAT(way.note, HasSubstr("the address of the node"));
}

TEST(RequestPath, AnUnusableProxyEndsTheWay) {
  const RouterChain chain(Of(HttpRouter({Rule(1, true, "*")})), {});
  EXPECT_EQ(Follow(chain, Settings("http://proxy:"), "https://a.example/").decision(), "invalid");
}

TEST(RequestPath, DnsDecidesWhereNobodyTells) {
  std::vector<HttpRule> rules = {Network(1, false, "192.0.2.0/24"), Rule(2, true, "*")};
  const Explainer settings = Settings("http://10.0.0.9:8080");
  const RouterChain unknown(Of(HttpRouter(rules)), {});
  EXPECT_EQ(Follow(unknown, settings, "http://a.example/").decision(), "depends");
  EXPECT_FALSE(Follow(unknown, settings, "http://a.example/").Passes());
  KnownAnswers inside;
  ASSERT_TRUE(inside.Add("a.example=192.0.2.7"));
  EXPECT_EQ(Follow(RouterChain(Of(HttpRouter(rules)), inside), settings, "http://a.example/").decision(), "deny");
  KnownAnswers outside;
  ASSERT_TRUE(outside.Add("a.example=198.51.100.7"));
  EXPECT_EQ(Follow(RouterChain(Of(HttpRouter(rules)), outside), settings, "http://a.example/").decision(), "allow");
}

// A node's proxy may be a port of a redirect router, behind which the real proxy is.
TEST(RequestPath, TheProxyIsBehindAPortOfARouter) {
  const RouterChain chain(Of(Redirect(8080, "203.0.113.25", 3128)), {});
  const RequestPath way = Follow(chain, Settings("http://10.0.0.9:8080"), "https://quay.io/");
  EXPECT_EQ(way.decision(), "forward");
  EXPECT_EQ(way.line, 2U);
  EXPECT_EQ(way.to, "203.0.113.25:3128");
  EXPECT_EQ(way.source, "10.42.253.46");
  EXPECT_EQ(Follow(chain, Settings("http://10.0.0.9:8081"), "https://quay.io/").decision(), "none");
}

TEST(RequestPath, SeveralRoutersAreToldApartByTheProxysHost) {
  std::vector<RouterPolicy> two;
  two.push_back(HttpRouter({Rule(1, true, "*")}, "10.42.253.45"));
  two.back().name = "egress-a";
  two.back().name_space = "egress";
  two.push_back(HttpRouter({Rule(1, false, ".example")}, "10.42.253.46"));
  two.back().name = "egress-b";
  const RouterChain chain(std::move(two), {});
  const auto decision = [&](const char* proxy) {
    return std::string(Follow(chain, Settings(proxy), "https://a.example/").decision());
  };
  EXPECT_EQ(decision("http://egress-a.egress.svc:8080"), "allow");
  EXPECT_EQ(decision("http://EGRESS-A.egress.svc.cluster.local:8080"), "allow");
  EXPECT_EQ(decision("http://egress-a:8080"), "allow");
  EXPECT_EQ(decision("http://egress-b.somewhere.svc:8080"), "deny");
  EXPECT_EQ(decision("http://10.42.253.46:8080"), "deny");
  EXPECT_EQ(decision("http://egress-a.other.svc:8080"), "unknown");
  EXPECT_EQ(decision("http://egress-ab:8080"), "unknown");
  EXPECT_EQ(decision("http://proxy.example.com:8080"), "unknown");
}

// It forwards what comes in at eth0, and its source address is on another interface.
TEST(RequestPath, ARedirectRouterIsNotReachedAtItsSource) {
  const RouterChain chain(Of(Redirect(443, "203.0.113.25", 8443)), {});
  EXPECT_EQ(Follow(chain, Settings("http://10.0.0.9:8080", "10.42.253.46"), "https://10.42.253.46/").decision(),
            "direct");
}

TEST(RequestPath, ARouterInFrontOfAProxyLeadsToItsRules) {
  std::vector<RouterPolicy> two;
  two.push_back(Redirect(3128, "10.42.253.45", 8080));
  two.back().name = "front";
  two.push_back(HttpRouter({Rule(4, true, "quay.io")}, "10.42.253.45"));
  const RouterChain chain(std::move(two), {});
  const Explainer settings = Settings("http://front.egress.svc:3128");
  const RequestPath allowed = Follow(chain, settings, "https://quay.io/");
  EXPECT_EQ(allowed.decision(), "allow");
  EXPECT_EQ(allowed.line, 4U);
  EXPECT_EQ(allowed.source, "10.42.253.45");
  EXPECT_THAT(allowed.note, HasSubstr("to the router of policy"));
  EXPECT_EQ(Follow(chain, settings, "https://a.example/").decision(), "deny");
}

TEST(RequestPath, RoutersThatForwardToEachOtherEnd) {
  const auto forward = [](const char* name, const char* to) {
    RouterPolicy out;
    out.kind = RouterKind::kDnsProxy;
    out.name = name;
    out.dns.push_back({.line = 1, .port = 8080, .to = to, .is_name = true, .to_port = 8080});
    return out;
  };
  std::vector<RouterPolicy> two;
  two.push_back(forward("a", "b.egress.svc"));
  two.push_back(forward("b", "a.egress.svc"));
  const RequestPath way = Follow(RouterChain(std::move(two), {}), Settings("http://a:8080"), "https://quay.io/");
  EXPECT_EQ(way.decision(), "unknown");
  EXPECT_FALSE(way.Passes());
  EXPECT_THAT(way.note, HasSubstr("without an end"));
}

TEST(RequestPath, ADirectRequestToARouterOfPortsIsForwarded) {
  RouterPolicy redirect = Redirect(443, "203.0.113.25", 8443);
  redirect.name = "egress-db";
  redirect.name_space = "egress";
  const RouterChain chain(Of(std::move(redirect)), {});
  const Explainer settings = Settings("http://10.0.0.9:8080", ".svc");
  const RequestPath way = Follow(chain, settings, "https://egress-db.egress.svc/");
  EXPECT_EQ(way.decision(), "forward");
  EXPECT_EQ(way.to, "203.0.113.25:8443");
  EXPECT_EQ(Follow(chain, settings, "https://other.egress.svc/").decision(), "direct");
}

std::vector<std::string> Warnings(const RouterChain& chain, const char* url) {
  Findings findings;
  const auto proxy = egress::ParseProxyUrl(Secret(url), egress::ProxyVariable::kHttps, "x", findings);
  EXPECT_TRUE(proxy) << url;
  findings.clear();
  chain.CheckProxy(*proxy, "proxy.env: HTTPS_PROXY", findings);
  std::vector<std::string> out;
  for (const Finding& one : findings) {
    EXPECT_EQ(one.code, "proxy-router");
    EXPECT_EQ(one.where, "proxy.env: HTTPS_PROXY");
    out.push_back(one.message);
  }
  return out;
}

TEST(RequestPath, ProxiesThatNodesDoNotReach) {
  RouterPolicy policy = HttpRouter({Rule(1, true, "*")});
  policy.name = "egress-http";
  const RouterChain chain(Of(std::move(policy)), {});
  EXPECT_THAT(Warnings(chain, "http://10.0.0.9:3128"), IsEmpty());
  EXPECT_THAT(Warnings(chain, "http://10.42.253.45:8080"), IsEmpty());
  EXPECT_THAT(Warnings(chain, "http://egress.example.com:8080"), IsEmpty());
  EXPECT_THAT(Warnings(chain, "http://egress-http.egress.svc:8080"), ElementsAre(HasSubstr("the cluster's DNS")));
  EXPECT_THAT(Warnings(chain, "http://any.egress.svc.cluster.local:8080"), ElementsAre(HasSubstr("the cluster's DNS")));
  EXPECT_THAT(Warnings(chain, "http://egress-http:8080"), ElementsAre(HasSubstr("the cluster's DNS")));
  EXPECT_THAT(Warnings(chain, "https://10.0.0.9:8080"), ElementsAre(HasSubstr("plain HTTP")));
  EXPECT_THAT(Warnings(chain, "http://10.42.253.45:3128"), ElementsAre(HasSubstr("listens on 8080")));
}

}  // namespace
}  // namespace prov::router
