#include "provisioner/source/pod_environment_source.h"

#include <gtest/gtest.h>

#include "tests/source/document_helpers.h"

namespace prov::source {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kOptOut = R"("annotations":{"kubernetes.azure.com/no-http-proxy-vars":"true"})";

std::string Container(const std::string& env) { return R"({"name":"c","env":[)" + env + "]}"; }
std::string Variable(const std::string& name, const std::string& value) {
  return R"({"name":")" + name + R"(","value":")" + value + R"("})";
}
std::string Pod(const std::string& containers) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[)" + containers + "]}}";
}
std::string OptedOut(const std::string& containers) {
  return std::string(R"({"kind":"Pod","metadata":{)") + kOptOut + R"(},"spec":{"containers":[)" + containers + "]}}";
}

TEST(PodEnvironment, EachKindKeepsItsTemplateSomewhere) {
  const std::string spec = R"({"containers":[)" + Container(Variable("HTTP_PROXY", "http://p:1")) + "]}";
  const std::string in_template = R"({"spec":)" + spec + "}";
  const std::pair<const char*, std::string> rows[] = {
      {"Pod", R"("spec":)" + spec},
      {"PodTemplate", R"("template":)" + in_template},
      {"Deployment", R"("spec":{"template":)" + in_template + "}"},
      {"DaemonSet", R"("spec":{"template":)" + in_template + "}"},
      {"Job", R"("spec":{"template":)" + in_template + "}"},
      {"CronJob", R"("spec":{"jobTemplate":{"spec":{"template":)" + in_template + "}}}"},
  };
  for (const auto& [kind, rest] : rows) {
    const auto config = ReadText(std::string(R"({"kind":")") + kind + R"(","metadata":{"name":"n"},)" + rest + "}");
    ASSERT_TRUE(config) << kind << ": " << Failure(config);
    EXPECT_EQ(config->source.kind, "PodTemplate");
    EXPECT_EQ(config->source.name, "n");
    EXPECT_EQ(config->http_proxy->Reveal(), "http://p:1") << kind;
    EXPECT_THAT(config->proxy_file.path, testing::EndsWith(".containers[0].env"));
    EXPECT_FALSE(config->trust_file.present);
  }
}

TEST(PodEnvironment, TheFirstContainerWithVariablesCounts) {
  const auto config = MustRead(Pod(Container("") + "," +
                                   Container(Variable("HTTP_PROXY", "http://old:1") + "," +
                                             Variable("HTTP_PROXY", "http://a:1") + "," + Variable("NO_PROXY", "")) +
                                   "," + Container(Variable("HTTP_PROXY", "http://b:1"))));
  EXPECT_EQ(config.http_proxy->Reveal(), "http://a:1") << "the last of a name counts";
  EXPECT_FALSE(config.https_proxy);
  EXPECT_EQ(config.no_proxy, "");
  EXPECT_THAT(config.findings, HasCode("containers-differ"));
}

// Its "no proxy" would remove that of a node.
TEST(PodEnvironment, AContainerWithoutAUrlComesAfterOneWithIt) {
  const auto config =
      MustRead(Pod(Container(Variable("NO_PROXY", ".svc")) + "," + Container(Variable("HTTP_PROXY", "http://b:1"))));
  EXPECT_EQ(config.http_proxy->Reveal(), "http://b:1");
  EXPECT_FALSE(config.no_proxy);
  EXPECT_THAT(config.findings, HasCode("containers-differ"));
  EXPECT_THAT(config.proxy_file.path, testing::EndsWith(".containers[1].env"));
}

TEST(PodEnvironment, NodesVariableCountsWhereItIsOne) {
  for (const char* value : {"1", "true", "0"}) {
    const auto config =
        MustRead(Pod(Container(Variable("NODE_USE_ENV_PROXY", value) + "," + Variable("HTTP_PROXY", "http://a:1"))));
    EXPECT_EQ(config.node_env_proxy, std::string_view(value) == "1") << value;
  }
}

TEST(PodEnvironment, AValueFromElsewhereIsNotAnEmptyOne) {
  EXPECT_THAT(Failure(ReadText(
                  Pod(Container(R"({"name":"HTTPS_PROXY","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}})")))),
              StartsWith("invalid-config: HTTPS_PROXY is taken from another object (valueFrom)"));
}

TEST(PodEnvironment, WhatEnvFromBringsIsNotTakenForNone) {
  const std::string from = R"("envFrom":[{"configMapRef":{"name":"proxy"}}])";
  const auto with_from = [&](const std::string& env) { return R"({"name":"c",)" + from + R"(,"env":[)" + env + "]}"; };
  const auto none = MustRead(Pod(with_from(Variable("NO_PROXY", ".svc"))));
  EXPECT_THAT(MessageOf(none.findings, "not-read"), HasSubstr("envFrom"));
  EXPECT_FALSE(egress::StatesProxy(none));
  const auto other = MustRead(Pod(with_from("") + "," + Container(Variable("NO_PROXY", ".svc"))));
  EXPECT_FALSE(egress::StatesProxy(other)) << "the URL may be another container's";
  const auto url = MustRead(Pod(with_from(Variable("HTTP_PROXY", "http://p:1"))));
  EXPECT_THAT(url.findings, HasCode("not-read"));
  EXPECT_TRUE(egress::StatesProxy(url));
  const auto all = MustRead(
      Pod(with_from(Variable("HTTP_PROXY", "") + "," + Variable("HTTPS_PROXY", "") + "," + Variable("NO_PROXY", ""))));
  EXPECT_THAT(all.findings, Not(HasCode("not-read"))) << "env overrides envFrom";
  EXPECT_TRUE(egress::StatesProxy(all));
}

TEST(PodEnvironment, AUrlInLowerCaseOnlyIsNotTakenForNone) {
  const std::string lower = Variable("https_proxy", "http://c4nary:1");
  for (const std::string& containers :
       {Container(lower + "," + Variable("NO_PROXY", ".svc")), Container(lower + "," + Variable("HTTPS_PROXY", "")),
        Container(R"({"name":"http_proxy","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}},)" +
                  Variable("NO_PROXY", ".svc")),
        Container(Variable("NO_PROXY", ".svc")) + "," + Container(lower)}) {
    EXPECT_THAT(Failure(ReadText(Pod(containers))), testing::AllOf(StartsWith("kind: the URL of the proxy is there in "
                                                                              "lower case only"),
                                                                   Not(HasSubstr("c4nary"))))
        << containers;
  }
  const auto both = MustRead(Pod(Container(lower + "," + Variable("HTTPS_PROXY", "http://p:1"))));
  EXPECT_TRUE(egress::StatesProxy(both));
  EXPECT_THAT(both.findings, HasCode("env-lower-case"));
  EXPECT_TRUE(egress::StatesProxy(MustRead(Pod(
      Container(Variable("http_proxy", "") + "," + Variable("HTTP_PROXY", "") + "," + Variable("no_proxy", "a"))))));
}

TEST(PodEnvironment, WithoutVariablesItIsNoSource) {
  EXPECT_THAT(Failure(ReadText(Pod(Container(Variable("A", "b"))))),
              StartsWith("kind: no container of this Pod assigns"));
  EXPECT_THAT(Failure(ReadText(Pod(Container(Variable("http_proxy", "http://p:1"))))), HasSubstr("only in lower case"));
  EXPECT_THAT(Failure(ReadText(R"({"kind":"Pod","apiVersion":"v1"})")), StartsWith("kind: "));
  EXPECT_THAT(Failure(ReadText(R"({"kind":"CronJob","spec":{}})")), StartsWith("kind: "));
  EXPECT_THAT(Failure(ReadText(R"({"kind":"Pod","spec":{"containers":{}}})")), StartsWith("type: "));
  EXPECT_THAT(Failure(ReadText(Pod(Container(R"({"name":"HTTP_PROXY","value":1})")))),
              StartsWith("type: expected a string, found an integer ($.spec.containers[0].env[0].value)"));
}

TEST(PodEnvironment, OptingOutIsSaidAndMakesNoStatementByItself) {
  const auto none = MustRead(OptedOut(Container("")));
  EXPECT_FALSE(none.proxy_file.present);
  EXPECT_THAT(none.findings, HasCode("pod-opt-out"));
  const auto own = MustRead(OptedOut(Container(Variable("HTTP_PROXY", "http://p:1"))));
  EXPECT_TRUE(own.proxy_file.present);
  EXPECT_THAT(own.findings, HasCode("pod-opt-out"));
}

TEST(PodEnvironment, BoundsTheNumberOfContainers) {
  std::string containers = "{}";
  for (int i = 0; i < 100000; ++i) containers += ",{}";
  EXPECT_THAT(Failure(ReadText(Pod(containers))),
              StartsWith("too-large: more than 100000 entries are in the array ($.spec.containers)"));
}

TEST(PodEnvironment, ReferencesAreReported) {
  const auto config = MustRead(Pod(Container(Variable("NO_PROXY", ".svc,$(KUBERNETES_SERVICE_HOST)"))));
  EXPECT_EQ(config.no_proxy, ".svc,$(KUBERNETES_SERVICE_HOST)");
  EXPECT_THAT(config.findings, HasCode("env-reference"));
  EXPECT_THAT(config.findings, Not(HasCode("containers-differ")));
}

}  // namespace
}  // namespace prov::source
