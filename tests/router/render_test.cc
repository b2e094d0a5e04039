#include "provisioner/router/render.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/router/evaluation.h"
#include "provisioner/router/router_check.h"
#include "tests/router/samples.h"
#include "tests/support/result.h"

namespace prov::router {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kRedirectList = "# web\n80 tcp 10.4.5.6\n\n8080 udp 10.7.8.9 80\n10.1.2.3\n";
constexpr std::string_view kHttpList = "!*.bad.example\n# all of it\n*.example\n192.168.0.0/16\n*\n";
constexpr std::string_view kDnsList = "80 11.12.13.14\n8080 db.example 100\n";

RouterPolicy FullPolicy(RouterKind kind, std::string_view text) {
  RouterPolicy out = ListedPolicy(kind, text);
  EXPECT_TRUE(ReadSource("1.2.3.4/24", "here", out));
  EXPECT_TRUE(ReadGateway("1.2.3.1", "here", out));
  return out;
}

std::string As(const RouterPolicy& policy, Format format, RenderRequest request = {}) {
  request.format = format;
  const auto out = Render(policy, request);
  EXPECT_TRUE(out) << (out ? "" : out.error().message);
  return out.value_or("");
}

Error RenderError(const RouterPolicy& policy, Format format) { return ErrorIn(Render(policy, {.format = format})); }

TEST(Render, NftRules) {
  const RouterPolicy policy = FullPolicy(RouterKind::kRedirect, kRedirectList);
  const std::string rules =
      "add rule ip nat prerouting iifname \"eth0\" tcp dport 80 dnat to 10.4.5.6\n"
      "add rule ip nat prerouting iifname \"eth0\" udp dport 8080 dnat to 10.7.8.9:80\n"
      "add rule ip nat prerouting iifname \"eth0\" dnat to 10.1.2.3\n"
      "add rule ip nat postrouting oifname \"macvlan0\" snat to 1.2.3.4\n";
  EXPECT_EQ(As(policy, Format::kNft), rules);
  EXPECT_EQ(As(policy, Format::kNftFile),
            "table ip nat {\n  chain prerouting {\n    type nat hook prerouting priority dstnat; policy accept;\n  }\n"
            "  chain postrouting {\n    type nat hook postrouting priority srcnat; policy accept;\n  }\n}\n"
            "flush table ip nat\n" +
                rules);
  EXPECT_EQ(As(FullPolicy(RouterKind::kRedirect, "# none\n"), Format::kNft),
            "add rule ip nat postrouting oifname \"macvlan0\" snat to 1.2.3.4\n");
}

TEST(Render, IptablesRules) {
  const RouterPolicy policy = FullPolicy(RouterKind::kRedirect, kRedirectList);
  const std::string rules =
      "-A PREROUTING -i eth0 -p tcp --dport 80 -j DNAT --to-destination 10.4.5.6\n"
      "-A PREROUTING -i eth0 -p udp --dport 8080 -j DNAT --to-destination 10.7.8.9:80\n"
      "-A PREROUTING -i eth0 -j DNAT --to-destination 10.1.2.3\n"
      "-A POSTROUTING -o macvlan0 -j SNAT --to-source 1.2.3.4\n";
  EXPECT_EQ(As(policy, Format::kIptables), rules);
  EXPECT_EQ(As(policy, Format::kIptablesFile),
            "*nat\n:PREROUTING ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n" + rules + "COMMIT\n");
}

TEST(Render, SquidAcls) {
  const RouterPolicy policy = FullPolicy(RouterKind::kHttpProxy, kHttpList);
  const std::string acls =
      "\nacl dest1 dstdomain .bad.example\nhttp_access deny dest1\n"
      "\nacl dest2 dstdomain .example\nhttp_access allow dest2\n"
      "\nacl dest3 dst 192.168.0.0/16\nhttp_access allow dest3\n"
      "\nhttp_access allow all\n";
  EXPECT_EQ(As(policy, Format::kSquid), acls);
  EXPECT_EQ(As(policy, Format::kSquidConf),
            "http_port 8080\ncache deny all\naccess_log none all\ndebug_options ALL,0\nshutdown_lifetime 0\n" + acls);
  EXPECT_EQ(As(FullPolicy(RouterKind::kHttpProxy, "*"), Format::kSquid), "\nhttp_access allow all\n");
  EXPECT_THAT(As(FullPolicy(RouterKind::kHttpProxy, "a.example"), Format::kSquid),
              EndsWith("\nhttp_access deny all\n"));
}

TEST(Render, Haproxy) {
  const RouterPolicy policy = FullPolicy(RouterKind::kDnsProxy, kDnsList);
  const std::string out =
      As(policy, Format::kHaproxy, {.a_records = {{"db.example", 3}}, .nameservers = {"10.0.0.2", "10.0.0.3"}});
  EXPECT_THAT(out, StartsWith("\nglobal\n    log         127.0.0.1 local2\n"));
  EXPECT_THAT(out, HasSubstr("    maxconn     4000\n"));
  EXPECT_THAT(out,
              HasSubstr("    timeout check           10s\n\nresolvers dns-resolver\n"
                        "    nameserver ns1 10.0.0.2:53\n    nameserver ns2 10.0.0.3:53\n"
                        "    resolve_retries      3\n    timeout retry        1s\n    hold valid           10s\n\n"));
  EXPECT_THAT(out, HasSubstr("\nfrontend fe1\n    bind :80\n    default_backend be1\n\nbackend be1\n"
                             "    server dest1 11.12.13.14:80 check \n\n"));
  EXPECT_THAT(out,
              EndsWith("\nfrontend fe2\n    bind :8080\n    default_backend be2\n\nbackend be2\n    server-template "
                       "dest 3 db.example:100 check resolvers dns-resolver resolve-prefer ipv4\n\n"));
  EXPECT_THAT(As(policy, Format::kHaproxy), HasSubstr("    server dest1 db.example:100 check resolvers"));
}

// What is written is read again as the same policy.
void ExpectSame(const RouterPolicy& policy, const std::string& text, std::string_view what) {
  const auto again = ReadRouterPolicy(text, "file");
  ASSERT_TRUE(again) << what << ": " << again.error().message << "\n" << text;
  EXPECT_EQ(again->kind, policy.kind) << what;
  for (const Format format : {Format::kNft, Format::kSquid, Format::kHaproxy}) {
    const auto before = Render(policy, {.format = format});
    if (!before || (what == "configmap" && format == Format::kNft)) continue;  // a map has no source
    const auto after = Render(*again, {.format = format});
    ASSERT_TRUE(after) << what;
    EXPECT_EQ(*after, *before) << what;
  }
}

TEST(Render, EachFormIsReadAgain) {
  const std::vector<RouterPolicy> policies = {FullPolicy(RouterKind::kRedirect, kRedirectList),
                                              FullPolicy(RouterKind::kHttpProxy, kHttpList),
                                              FullPolicy(RouterKind::kDnsProxy, kDnsList)};
  for (const RouterPolicy& policy : policies) {
    for (const Format format : {Format::kEnv, Format::kConfigMap, Format::kManifest}) {
      const std::string name(kFormatNames[static_cast<std::size_t>(format)]);
      ExpectSame(policy, As(policy, format), name);
      EXPECT_EQ(As(policy, format), As(policy, format));
    }
  }
}

TEST(Render, TheManifestIsWhatAPodNeeds) {
  RouterPolicy policy = FullPolicy(RouterKind::kHttpProxy, kHttpList);
  policy.name_space = "egress";
  const std::string out =
      As(policy, Format::kManifest,
         {.name = "out", .image = "registry.example/router", .proxy_image = "registry.example/squid"});
  for (const char* part :
       {"kind: ServiceAccount", "system:openshift:scc:privileged", "pod.network.openshift.io/assign-macvlan: \"true\"",
        "kubernetes.io/os: linux", "serviceAccountName: out", "replicas: 1", "type: Recreate", "privileged: true",
        "value: 1.2.3.4/24", "value: \"1.2.3.1\"", "value: http-proxy", "image: registry.example/router",
        "image: registry.example/squid", "name: out-destinations", "namespace: egress", "port: 8080", "# all of it"})
    EXPECT_THAT(out, HasSubstr(part)) << part;
  EXPECT_THAT(As(FullPolicy(RouterKind::kRedirect, "10.1.2.3"), Format::kManifest), Not(HasSubstr("kind: Service\n")));
}

TEST(Render, EgressRouterAndItsAttachment) {
  const RouterPolicy policy = FullPolicy(RouterKind::kRedirect, "80 tcp 10.4.5.6\n8080 udp 10.7.8.9 80\n");
  const std::string cr = As(policy, Format::kCr, {.name = "er"});
  const auto again = ReadRouterPolicy(cr, "file");
  ASSERT_TRUE(again) << again.error().message << "\n" << cr;
  EXPECT_TRUE(again->is_cni);
  EXPECT_EQ(again->source->prefix, 24U);
  ASSERT_EQ(again->redirect.size(), 2U);
  EXPECT_EQ(again->redirect[1].protocol, Protocol::kUdp);
  EXPECT_EQ(again->redirect[1].to_port, 80);
  EXPECT_EQ(As(*again, Format::kCr), cr);
  EXPECT_EQ(As(*again, Format::kNft),
            "add rule ip egress_cni postrouting oif \"net1\" snat to 1.2.3.4\n"
            "add rule ip egress_cni prerouting iif \"eth0\" tcp dport 80 dnat to 10.4.5.6\n"
            "add rule ip egress_cni prerouting iif \"eth0\" udp dport 8080 dnat to 10.7.8.9:80\n");
  const std::string nad = As(policy, Format::kNad);
  for (const char* part :
       {"kind: NetworkAttachmentDefinition", "name: egress-router-cni-nad", "\"cniVersion\": \"0.4.0\"",
        "\"80 TCP 10.4.5.6\"", "\"8080 UDP 10.7.8.9 80\"", "\"1.2.3.4/24\"", "\"gateway\": \"1.2.3.1\""})
    EXPECT_THAT(nad, HasSubstr(part)) << part;
  ExpectSame(policy, As(*again, Format::kEnv), "env of a CR");
}

TEST(Render, AProxyWithAnEgressIp) {
  const RouterPolicy policy = ListedPolicy(RouterKind::kHttpProxy, kHttpList);
  RenderRequest request{.name = "out", .name_space = "egress", .egress_ips = {"192.0.2.10", "192.0.2.11"}};
  const std::string manifest = As(policy, Format::kManifest, request);
  for (const char* part :
       {"kind: Deployment", "kind: ConfigMap", "kind: Service\n", "kind: EgressIP", "192.0.2.11",
        "kubernetes.io/metadata.name: egress", "kubernetes.io/os: linux", "system:openshift:scc:anyuid"})
    EXPECT_THAT(manifest, HasSubstr(part)) << part;
  for (const char* part : {"macvlan", "privileged", "initContainers", "EGRESS_SOURCE"})
    EXPECT_THAT(manifest, Not(HasSubstr(part))) << part;
  const auto again = Must(ReadRouterPolicy(manifest, "file"));
  EXPECT_EQ(again.labels->at("app"), "out");
  EXPECT_TRUE(CheckRouters({{manifest, "file"}}).empty());

  request.format = Format::kManifest;
  request.name_space.clear();
  EXPECT_THAT(Render(policy, request).error().message, HasSubstr("give --namespace"));
  request.name_space = "egress";
  EXPECT_EQ(Render(FullPolicy(RouterKind::kHttpProxy, kHttpList), request).error().code, Code::kUsage);
  EXPECT_THAT(Render(ListedPolicy(RouterKind::kRedirect, kRedirectList), request).error().message,
              HasSubstr("--format cr"));
  request.egress_ips = {"192.0.2.300"};
  EXPECT_EQ(Render(policy, request).error().where, "--egress-ip");
}

TEST(Render, WhatAFormCantSay) {
  const RouterPolicy fallback = FullPolicy(RouterKind::kRedirect, kRedirectList);
  EXPECT_EQ(RenderError(fallback, Format::kCr).where, "list: line 5");
  EXPECT_EQ(RenderError(fallback, Format::kNad).code, Code::kDestination);
  RouterPolicy bare = FullPolicy(RouterKind::kRedirect, "80 tcp 10.4.5.6\n");
  bare.source->prefix.reset();
  EXPECT_THAT(RenderError(bare, Format::kCr).message, HasSubstr("1.2.3.4/24"));
  bare.gateway.reset();
  EXPECT_THAT(RenderError(bare, Format::kManifest).message, StartsWith("EGRESS_GATEWAY unspecified"));
  bare.source.reset();
  for (const Format format : {Format::kNft, Format::kIptables, Format::kManifest, Format::kCr})
    EXPECT_THAT(RenderError(bare, format).message, StartsWith("EGRESS_SOURCE unspecified"));
  const Error kind = RenderError(FullPolicy(RouterKind::kHttpProxy, kHttpList), Format::kNft);
  EXPECT_EQ(kind.code, Code::kUsage);
  EXPECT_THAT(kind.message, HasSubstr("squid, squid-conf, env, configmap, manifest"));
  RouterPolicy sctp = FullPolicy(RouterKind::kRedirect, "80 tcp 10.4.5.6\n");
  sctp.is_cni = true;
  sctp.redirect[0].protocol = Protocol::kSctp;
  EXPECT_THAT(RenderError(sctp, Format::kEnv).message, HasSubstr("SCTP"));
  EXPECT_THAT(As(sctp, Format::kCr), HasSubstr("protocol: SCTP"));
  // tcp and udp of one port: an EgressRouter has both, the scripts refuse it.
  RouterPolicy both = sctp;
  both.redirect[0].protocol = Protocol::kTcp;
  both.redirect.push_back(both.redirect[0]);
  both.redirect[1].protocol = Protocol::kUdp;
  EXPECT_THAT(RenderError(both, Format::kEnv).message, HasSubstr("port 80 is there already"));
  both.redirect.clear();
  EXPECT_THAT(As(both, Format::kEnv), HasSubstr("EGRESS_DESTINATION=\"# no destinations\n\"\n"));
  ASSERT_TRUE(ReadSource("2001:db8::1/64", "here", both));
  EXPECT_THAT(RenderError(both, Format::kManifest).message, HasSubstr("can't say IPv6"));
}

TEST(Render, NamesThatKubernetesTakes) {
  const RouterPolicy policy = FullPolicy(RouterKind::kRedirect, "80 tcp 10.4.5.6\n");
  const auto error = [&](const std::string& name, const std::string& name_space, Format format) {
    const auto out = Render(policy, {.format = format, .name = name, .name_space = name_space});
    return out ? std::string() : fmt::format("{} {}", InfoOf(out.error().code).name, out.error().where);
  };
  for (const Format format : {Format::kManifest, Format::kConfigMap, Format::kCr}) {
    for (const std::string& name : {std::string("Out"), std::string("a b"), std::string("a_b"), std::string("-a"),
                                    std::string("a-"), std::string("a\nb"), std::string(64, 'a')})
      EXPECT_EQ(error(name, "", format), "usage --name") << name;
    EXPECT_EQ(error("out-1", "egress", format), "");
    EXPECT_EQ(error("out", "e.f", format), "usage --namespace");
  }
  // The name of a Service.
  for (const char* name : {"1a", "a.b"}) {
    EXPECT_EQ(error(name, "", Format::kManifest), "usage --name") << name;
    EXPECT_EQ(error(name, "", Format::kConfigMap), "") << name;
  }
  EXPECT_EQ(error("Out", "", Format::kNft), "");
  EXPECT_EQ(error("", "E", Format::kNad), "usage --namespace");
}

TEST(Render, EveryFormatHasItsName) {
  for (std::size_t i = 0; i < kFormatNames.size(); ++i) EXPECT_EQ(FormatOf(kFormatNames[i]), static_cast<Format>(i));
  EXPECT_FALSE(FormatOf("yaml"));
}

}  // namespace
}  // namespace prov::router
