#include "provisioner/router/router_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/router/render.h"
#include "tests/router/samples.h"
#include "tests/support/finding_codes.h"
#include "tests/support/result.h"

namespace prov::router {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Findings Check(const std::vector<std::string>& files, const CheckRequest& request = {}) {
  std::vector<PolicyFile> out;
  out.reserve(files.size());
  for (const std::string& file : files) out.push_back({file, fmt::format("f{}", out.size() + 1)});
  return CheckRouters(out, request);
}

std::vector<std::string> Codes(const Findings& findings) { return testing_support::SeverityAndCodesOf(findings); }

std::vector<std::string> With(std::string_view from, std::string_view to) {
  return Codes(Check({ReplacedOnce(kRightRouter, from, to)}));
}

TEST(RouterCheck, ARightOneHasNoFindings) {
  EXPECT_THAT(Check({kRightRouter}), IsEmpty());
  EXPECT_THAT(Check({"80 tcp 10.0.0.1\n"}), IsEmpty());
  EXPECT_THAT(Check({"EGRESS_SOURCE=192.168.12.99/24\nEGRESS_GATEWAY=192.168.12.1\nEGRESS_DESTINATION=10.0.0.1\n"}),
              IsEmpty());
}

// What we write ourselves, we have nothing to say against.
TEST(RouterCheck, WhatIsRenderedIsRight) {
  for (const char* list : {"80 tcp 10.0.0.1\n", "*.example\n", "80 db.example\n"}) {
    const auto policy = Must(ReadRouterPolicy(list, "list", {.source = "192.168.12.99/24", .gateway = "192.168.12.1"}));
    for (const Format format : {Format::kManifest, Format::kConfigMap, Format::kEnv}) {
      const auto text = Must(Render(policy, {.format = format}));
      EXPECT_THAT(Codes(Check({text})), IsEmpty()) << text;
    }
  }
}

TEST(RouterCheck, TheAnnotationIsATextOfThePod) {
  EXPECT_THAT(With("assign-macvlan: \"true\"", "assign-macvlan: true"), ElementsAre("error router-annotation"));
  EXPECT_THAT(With("assign-macvlan: \"true\"", "assign-macvlan: \"false\""), ElementsAre("error router-annotation"));
  EXPECT_THAT(With("assign-macvlan: \"true\"", "assign-macvlan: eth1"), ElementsAre("warning router-annotation"));
  EXPECT_THAT(With("pod.network.openshift.io/assign-macvlan", "x"), ElementsAre("error router-annotation"));
  const Findings outside = Check({ReplacedOnce(
      ReplacedOnce(kRightRouter, "      annotations:\n        pod.network.openshift.io/assign-macvlan: \"true\"\n", ""),
      "  name: egress-1\n", "  name: egress-1\n  annotations: {pod.network.openshift.io/assign-macvlan: \"true\"}\n")});
  ASSERT_THAT(Codes(outside), ElementsAre("error router-annotation"));
  EXPECT_THAT(outside[0].message, HasSubstr("the pod gets that of the template"));
}

TEST(RouterCheck, OnePodForOneAddress) {
  EXPECT_THAT(With("replicas: 1", "replicas: 3"), ElementsAre("error router-replicas"));
  EXPECT_THAT(With("  strategy: {type: Recreate}\n", ""), ElementsAre("warning router-replicas"));
  EXPECT_THAT(With("kind: Deployment", "kind: DaemonSet"), ElementsAre("error router-replicas"));
  EXPECT_THAT(With("kind: Deployment", "kind: ReplicationController"), IsEmpty());
}

TEST(RouterCheck, PrivilegeAndServiceAccount) {
  EXPECT_THAT(With("privileged: true", "privileged: false"), ElementsAre("error router-privilege"));
  EXPECT_THAT(With("        image: p\n", "        image: p\n        serviceAccountName: egress\n"),
              ElementsAre("error router-service-account"));
  const std::string other =
      ReplacedOnce(ReplacedOnce(kRightRouter, "privileged: true", "privileged: false"), "        image: p\n",
                   "        image: p\n        securityContext: {privileged: true}\n");
  const Findings findings = Check({other});
  ASSERT_THAT(Codes(findings), ElementsAre("error router-privilege"));
  EXPECT_THAT(findings[0].message, HasSubstr("\"router\""));
}

TEST(RouterCheck, LinuxNodes) {
  EXPECT_THAT(With("        kubernetes.io/os: linux\n", "        site: berlin\n"), ElementsAre("warning router-node"));
  EXPECT_THAT(With("kubernetes.io/os: linux", "kubernetes.io/os: windows"), ElementsAre("error router-node"));
  EXPECT_THAT(With("kubernetes.io/os: linux", "node-role.kubernetes.io/infra: \"\""), IsEmpty());
  EXPECT_THAT(With("      nodeSelector:\n        kubernetes.io/os: linux\n", "      nodeName: infra-1\n"), IsEmpty());
  const auto affinity = [](std::string_view values, std::string_view op = "In") {
    return With("      nodeSelector:\n        kubernetes.io/os: linux\n",
                fmt::format("      affinity:\n        nodeAffinity:\n          "
                            "requiredDuringSchedulingIgnoredDuringExecution:\n            nodeSelectorTerms:\n"
                            "            - matchExpressions:\n              - {{key: kubernetes.io/os, operator: {}, "
                            "values: [{}]}}\n",
                            op, values));
  };
  EXPECT_THAT(affinity("linux"), IsEmpty());
  EXPECT_THAT(affinity("linux, windows"), ElementsAre("warning router-node"));
  EXPECT_THAT(affinity("windows", "NotIn"), IsEmpty());
  EXPECT_THAT(affinity("linux", "NotIn"), ElementsAre("error router-node"));
  EXPECT_THAT(affinity("windows"), ElementsAre("error router-node"));
}

TEST(RouterCheck, ModesOfContainers) {
  EXPECT_THAT(With("        - {name: EGRESS_ROUTER_MODE, value: http-proxy}\n", ""), ElementsAre("error router-mode"));
  EXPECT_THAT(With("value: http-proxy", "value: dns-proxy"), ElementsAre("warning router-mode"));
  EXPECT_THAT(With("value: http-proxy", "value: init"), ElementsAre("error router-mode"));
  EXPECT_THAT(With("value: http-proxy", "value: unit-test"), ElementsAre("error router-mode"));
  EXPECT_THAT(With("value: http-proxy", "value: http"), ElementsAre("error router-destination", "warning router-mode"));
  EXPECT_THAT(With("EGRESS_SOURCE", "EGRESS_SORUCE"), ElementsAre("error router-source"));
}

TEST(RouterCheck, AMainContainerWithAModeOfInitContainers) {
  const std::string pod = R"(kind: Pod
metadata:
  name: p
  annotations: {pod.network.openshift.io/assign-macvlan: "true"}
spec:
  nodeSelector: {kubernetes.io/os: linux}
  containers:
  - name: router
    securityContext: {privileged: true}
    env:
    - {name: EGRESS_SOURCE, value: 192.168.12.99}
    - {name: EGRESS_GATEWAY, value: 192.168.12.1}
    - {name: EGRESS_DESTINATION, value: 203.0.113.25}
    - {name: EGRESS_ROUTER_MODE, value: init}
)";
  EXPECT_THAT(Codes(Check({pod})), ElementsAre("error router-mode"));
  EXPECT_THAT(Check({ReplacedOnce(pod, "    - {name: EGRESS_ROUTER_MODE, value: init}\n", "")}), IsEmpty());
}

// As it comes from a page in a browser.
TEST(RouterCheck, Typography) {
  const Findings quotes =
      Check({ReplacedOnce(kRightRouter, "value: 192.168.12.1}", "value: \u201C192.168.12.1\xE2\x80\x9D}")});
  EXPECT_THAT(Codes(quotes), ElementsAre("error router-typography"));
  EXPECT_EQ(quotes[0].where, "f1: line 25");
  EXPECT_THAT(quotes[0].message, HasSubstr("U+201C"));
  EXPECT_THAT(Codes(Check({ReplacedOnce(kRightRouter, "      - name: proxy", "      \xE2\x80\x93 name: proxy")})),
              testing::Contains("error router-typography"));
  EXPECT_THAT(Codes(Check({ReplacedOnce(kRightRouter, "  name: egress-1\n",
                                        "  name: egress-1 # \xE2\x80\x9Cours\xE2\x80\x9D\n")})),
              IsEmpty());
  EXPECT_THAT(With("  name: egress-1\n", "  name: egress-1\n  annotations: {note: it\xE2\x80\x99s ours}\n"),
              ElementsAre("warning router-typography"));
  // The rest of such a file is looked at as well.
  const Findings rest =
      Check({ReplacedOnce(ReplacedOnce(ReplacedOnce(kRightRouter, "  replicas: 1", "\xC2\xA0 replicas: 3"),
                                       "      - name: proxy", "      \xE2\x80\x93 name: proxy"),
                          "assign-macvlan: \"true\"", "assign-macvlan: \xE2\x80\x9Ctrue\xE2\x80\x9D")});
  EXPECT_THAT(Codes(rest), ElementsAre("error router-typography", "error router-typography", "error router-typography",
                                       "error router-replicas"));
}

TEST(RouterCheck, EveryWrongLineIsTold) {
  const Findings findings = Check({"a b\n*.example\ncafe.de\n"}, {.kind = RouterKind::kHttpProxy});
  ASSERT_THAT(Codes(findings), ElementsAre("error router-destination", "error router-destination"));
  EXPECT_EQ(findings[0].where, "f1: line 1");
  EXPECT_EQ(findings[1].where, "f1: line 3");
  EXPECT_THAT(Codes(Check({"80 tcp 10.0.0.1\n81 tpc 10.0.0.2\n"})), ElementsAre("error router-destination"));
}

TEST(RouterCheck, AssignmentsThatLostAPart) {
  EXPECT_THAT(Codes(Check({"EGRESS_DESTINATION=\"80 tcp 10.0.0.1\n81 tcp 10.0"})),
              ElementsAre("error router-document"));
  EXPECT_THAT(
      Codes(Check({"EGRESS_SOURCE=192.0.2.9/24\nEGRESS_GATEWAY=192.0.2.1\nEGRESS_DESTINATION=80 tcp 10.0.0.1\n81 tcp "
                   "10.0.0.2\n"})),
      ElementsAre("warning env-line"));
}

TEST(RouterCheck, AssignmentsWithoutTheAddressesThatTheImageNeeds) {
  const std::string redirect = "EGRESS_DESTINATION=80 tcp 10.0.0.1\n";
  const std::string source = "EGRESS_SOURCE=192.0.2.9/24\n";
  const std::string gateway = "EGRESS_GATEWAY=192.0.2.1\n";
  const std::string proxy = "EGRESS_HTTP_PROXY_DESTINATION=*.example\n";
  EXPECT_THAT(Codes(Check({redirect})), ElementsAre("error router-source", "error router-gateway"));
  EXPECT_THAT(Codes(Check({redirect + source})), ElementsAre("error router-gateway"));
  EXPECT_THAT(Codes(Check({redirect + gateway})), ElementsAre("error router-source"));
  EXPECT_THAT(Codes(Check({proxy + source})), ElementsAre("error router-gateway"));
  EXPECT_THAT(Codes(Check({proxy + "EGRESS_ROUTER_MODE=http-proxy\n"})),
              ElementsAre("error router-source", "error router-gateway"));
  EXPECT_THAT(Codes(Check({proxy})), ElementsAre("warning router-source"));
  EXPECT_THAT(Codes(Check({proxy + source + gateway})), IsEmpty());
}

TEST(RouterCheck, LinesThatAreNeverReached) {
  const Findings findings =
      Check({"*.example\n!bad.example\nwww.example\n10.0.0.0/8\n!10.1.0.0/16\n10.0.0.0/9\nother.test\nOTHER.test\n"});
  EXPECT_THAT(Codes(findings),
              ElementsAre("warning router-shadowed", "warning router-shadowed", "warning router-shadowed",
                          "warning router-shadowed", "warning router-shadowed"));
  EXPECT_EQ(findings[0].where, "f1: line 2");
  EXPECT_THAT(findings[0].message,
              HasSubstr("line 1 already allows every destination of this line, which should deny it"));
  EXPECT_THAT(findings[1].message, HasSubstr("changes nothing"));
  EXPECT_THAT(Check({"bad.example\n*.example\n!www.bad.example\nfd00::/8\n10.0.0.0/8\n"}),
              testing::SizeIs(1));  // the third
}

TEST(RouterCheck, AddressesThatDoNotFit) {
  EXPECT_THAT(With("value: 192.168.12.1}", "value: 192.168.13.1}"), ElementsAre("warning router-gateway"));
  EXPECT_THAT(With("value: 192.168.12.1}", "value: 192.168.12.99}"), ElementsAre("warning router-gateway"));
  EXPECT_THAT(With("192.168.12.99/24", "192.168.12.99"), IsEmpty());
  EXPECT_THAT(With("        - {name: EGRESS_GATEWAY, value: 192.168.12.1}\n", ""), ElementsAre("error router-gateway"));
  for (const char* source : {"192.168.12.0/24", "192.168.12.255/24", "0.0.0.0", "127.0.0.1", "224.0.0.5", "10.0.0.0/8"})
    EXPECT_THAT(With("192.168.12.99/24", source), testing::Contains("warning router-source")) << source;
  for (const char* source : {"192.168.12.0/31", "192.168.12.255/32", "192.168.12.255", "192.168.13.0/23"})
    EXPECT_THAT(With("192.168.12.99/24", source), testing::Not(testing::Contains("warning router-source"))) << source;
  EXPECT_THAT(With("value: 192.168.12.1}", "value: 127.0.0.1}"), testing::Contains("warning router-gateway"));
  const auto nodes = [](const char* network) {
    return Codes(Check({kRightRouter}, {.node_networks = {*IpNetwork::Parse(network)}}));
  };
  EXPECT_THAT(nodes("10.0.0.0/16"), ElementsAre("warning router-source"));
  EXPECT_THAT(nodes("192.168.0.0/16"), IsEmpty());
}

const std::string kOvn =
    "apiVersion: config.openshift.io/v1\nkind: Network\nmetadata: {name: cluster}\nstatus: {networkType: "
    "OVNKubernetes}\n";

std::string Platform(std::string_view type) {
  return fmt::format(
      "apiVersion: config.openshift.io/v1\nkind: Infrastructure\nmetadata: {{name: cluster}}\n"
      "status: {{platformStatus: {{type: {}}}}}\n",
      type);
}

TEST(RouterCheck, TheClustersNetworkAndPlatform) {
  const std::string sdn = ReplacedOnce(kOvn, "OVNKubernetes", "OpenShiftSDN");
  const std::string operators =
      "apiVersion: operator.openshift.io/v1\nkind: Network\nmetadata: {name: cluster}\n"
      "spec: {defaultNetwork: {type: OVNKubernetes}}\n";
  const std::string addresses =
      "apiVersion: k8s.ovn.org/v1\nkind: EgressIP\nmetadata: {name: x}\nspec: {egressIPs: [192.0.2.1]}\n";
  for (const std::string& ovn : {kOvn, operators, addresses}) {
    for (const auto& files :
         {std::vector<std::string>{ovn, kRightRouter},
          {kRightRouter, ovn},
          {"EGRESS_SOURCE=192.0.2.9/24\nEGRESS_GATEWAY=192.0.2.1\nEGRESS_DESTINATION=10.0.0.1\n", ovn}})
      EXPECT_THAT(Codes(Check(files)), ElementsAre("error router-network")) << ovn;
  }
  EXPECT_THAT(Codes(Check({sdn, kRightRouter})), IsEmpty());
  EXPECT_THAT(Codes(Check({kRightRouter, Platform("AWS")})), ElementsAre("error router-network"));
  EXPECT_THAT(Codes(Check({kRightRouter, Platform("BareMetal"), sdn})), IsEmpty());
}

TEST(RouterCheck, WhatRunsOnOvnKubernetes) {
  const std::string cr =
      "apiVersion: network.operator.openshift.io/v1\nkind: EgressRouter\nmetadata: {name: a, namespace: x}\n"
      "spec: {addresses: [{ip: 192.0.2.9/24, gateway: 192.0.2.1}], redirect: {redirectRules: [{destinationIP: "
      "203.0.113.5, "
      "port: 80, protocol: TCP}]}}\n";
  EXPECT_THAT(Codes(Check({cr, kOvn})), IsEmpty());
  EXPECT_THAT(Codes(Check({cr, kOvn, Platform("Azure")})), ElementsAre("error router-network"));
  const std::string proxy =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: p, namespace: x}\nspec: {replicas: 2, template: {spec: "
      "{nodeSelector: {kubernetes.io/os: linux}, containers: [{name: c, image: i, env: [{name: "
      "EGRESS_HTTP_PROXY_DESTINATION, value: \"*.example\"}]}]}}}\n";
  EXPECT_THAT(Codes(Check({proxy, kOvn, Platform("AWS")})), IsEmpty());
  EXPECT_FALSE(Codes(Check({proxy})).empty()) << "openshift-sdn needs an interface";
  const std::string annotated =
      ReplacedOnce(proxy, "{spec: {node",
                   "{metadata: {annotations: {pod.network.openshift.io/assign-macvlan: \"true\"}}, spec: {node");
  EXPECT_THAT(Codes(Check({annotated, kOvn})), ElementsAre("warning router-network"));
}

TEST(RouterCheck, AListThatIsTooLongForAVariable) {
  std::string list;
  for (int i = 0; i < 10'000; ++i) list += fmt::format("host-{}.example\n", i);
  const Findings findings = Check({list});
  ASSERT_THAT(Codes(findings), ElementsAre("warning router-size"));
  EXPECT_THAT(findings[0].message, HasSubstr("at most 131071"));
}

TEST(RouterCheck, TwoRouters) {
  const std::string second =
      ReplacedOnce(ReplacedOnce(kRightRouter, "name: egress-1", "name: egress-2"), "*.example", "*.test");
  EXPECT_THAT(Codes(Check({kRightRouter, second})), ElementsAre("error router-several"));
  EXPECT_THAT(Check({kRightRouter, ReplacedOnce(second, "12.99", "12.98")}), IsEmpty());
  const auto cr = [](const char* name, const char* address) {
    return fmt::format(
        "kind: EgressRouter\nmetadata: {{name: {}, namespace: ns}}\nspec:\n  addresses: [{{ip: {}/24}}]\n  redirect:\n"
        "    redirectRules:\n    - {{destinationIP: 10.0.0.1, port: 80, protocol: TCP}}\n"
        "    - {{destinationIP: 10.0.0.2, port: 80, protocol: TCP}}\n",
        name, address);
  };
  EXPECT_THAT(Codes(Check({cr("a", "192.168.12.9")})), ElementsAre("warning router-shadowed"));
  EXPECT_THAT(Codes(Check({cr("a", "192.168.12.9"), cr("b", "192.168.12.8")})),
              ElementsAre("warning router-shadowed", "warning router-shadowed", "error router-several"));
}

TEST(RouterCheck, AReferenceThatLeadsOutOfTheFiles) {
  const std::string pod = ReplacedOnce(kRightRouter, "          value: \"*.example\"\n",
                                       "          valueFrom: {configMapKeyRef: {name: routes, key: destination}}\n");
  EXPECT_THAT(Codes(Check({pod})), ElementsAre("warning router-reference"));
  const auto map = [](std::string_view list) {
    return fmt::format("kind: ConfigMap\nmetadata: {{name: routes}}\ndata:\n  destination: |\n    {}\n", list);
  };
  EXPECT_THAT(Check({pod, map("*.example")}), IsEmpty());
  const Findings wrong = Check({pod, map("exa mple")});
  ASSERT_THAT(Codes(wrong), ElementsAre("error router-destination"));
  EXPECT_EQ(wrong[0].where, "f2: $.data.destination: line 1");
  EXPECT_THAT(Check({map("*.example")}), IsEmpty());
  // One that no pod takes is checked, too, and others are not taken for lists.
  EXPECT_THAT(Codes(Check({kRightRouter, map("exa mple")})), ElementsAre("error router-destination"));
  EXPECT_THAT(Check({kRightRouter, map("*.example"), "kind: ConfigMap\nmetadata: {name: c}\ndata: {ca.crt: a b}\n"}),
              IsEmpty());
}

TEST(RouterCheck, FilesThatCantBeRead) {
  const Findings findings = Check({"kind: [\n", kRightRouter, "{"});
  EXPECT_THAT(Codes(findings), ElementsAre("error router-document", "error router-document"));
  EXPECT_THAT(findings[0].where, HasSubstr("f1"));
  EXPECT_THAT(findings[1].where, HasSubstr("f3"));
  EXPECT_THAT(Codes(Check({"kind: Namespace\nmetadata: {name: n}\n"})), ElementsAre("error router-document"));
  EXPECT_THAT(Codes(Check({""})), ElementsAre("error router-destination"));
  EXPECT_THAT(Codes(Check({"kind: EgressRouter\nspec: {addresses: 5}\n"})), ElementsAre("error router-document"));
  // What render and explain refuse is not valid here.
  EXPECT_THAT(Codes(Check({"kind: ConfigMap\nmetadata: 5\ndata: {destination: a.test}\n"})),
              ElementsAre("error router-document"));
  EXPECT_THAT(With("metadata:\n  name: egress-1\n", "metadata: 5\n"), ElementsAre("error router-document"));
}

}  // namespace
}  // namespace prov::router
