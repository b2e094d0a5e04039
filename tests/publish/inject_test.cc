#include "provisioner/publish/inject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/publish/yaml_writer.h"
#include "tests/publish/samples.h"

namespace prov::publish {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

ProxyValues Values() { return {Secret("http://p:1"), Secret(), ".svc,localhost"}; }

struct Injected {
  Result<InjectionReport> report;
  std::string yaml;
  Findings findings;
};

Injected InjectInto(const std::string& text, const ProxyValues& proxy = Values()) {
  static const std::string bundle = "BUNDLE\n";
  Injected out{.report = {}, .yaml = {}, .findings = {}};
  const Injection injection{bundle, proxy};
  auto object = ReadAnyObject(text, "f");
  if (!object) {
    out.report = std::unexpected(object.error());
    return out;
  }
  out.report = Inject(*object, injection, out.findings);
  out.yaml = WriteYaml(*object->root);
  return out;
}

std::string ConfigMap(const std::string& label, const std::string& rest) {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: trusted-ca\n  labels:\n"
         "    config.openshift.io/inject-trusted-cabundle: " +
         label + "\n" + rest;
}

TEST(Inject, ALabelledConfigMapGetsTheBundleAndKeepsTheRest) {
  const std::string rest = "  annotations:\n    a: b\ndata:\n  other: x\n  ca-bundle.crt: old\nimmutable: false\n";
  const Injected result = InjectInto(ConfigMap("\"true\"", rest));
  ASSERT_TRUE(result.report);
  EXPECT_EQ(result.report->config_maps, 1U);
  EXPECT_EQ(result.yaml, ConfigMap("\"true\"",
                                   "  annotations:\n    a: b\ndata:\n  other: x\n  ca-bundle.crt: |\n    BUNDLE\n"
                                   "immutable: false\n"));
}

TEST(Inject, AConfigMapWithoutDataGetsSome) {
  EXPECT_EQ(InjectInto(ConfigMap("\"true\"", "")).yaml,
            ConfigMap("\"true\"", "data:\n  ca-bundle.crt: |\n    BUNDLE\n"));
  EXPECT_EQ(InjectInto(ConfigMap("\"true\"", "data: null\n")).report->config_maps, 1U);
}

TEST(Inject, ABooleanOfAnySpellingStaysOne) {
  const std::string yaml = InjectInto("kind: Pod\nspec:\n  hostNetwork: yes\n  hostPID: Off\n  name: \"yes\"\n").yaml;
  EXPECT_EQ(yaml, "kind: Pod\nspec:\n  hostNetwork: true\n  hostPID: false\n  name: \"yes\"\n");
}

TEST(Inject, OnlyTheTextTrueCounts) {
  for (const char* label : {"\"false\"", "\"True\"", "\"\"", "true"}) {
    const Injected result = InjectInto(ConfigMap(label, ""));
    EXPECT_EQ(result.report->config_maps, 0U) << label;
    EXPECT_THAT(result.findings, ElementsAre(Field(&Finding::code, "inject-label"))) << label;
  }
  EXPECT_THAT(InjectInto("kind: ConfigMap\nmetadata:\n  name: a\n").findings, IsEmpty());
}

TEST(Inject, WhatHasTheBundleIsLeftAlone) {
  const Injected result = InjectInto(ConfigMap("\"true\"", "data:\n  ca-bundle.crt: |\n    BUNDLE\n"));
  EXPECT_EQ(result.report->config_maps, 0U);
}

std::string Workload(const std::string& kind, const std::string& names, const std::string& containers) {
  return "apiVersion: apps/v1\nkind: " + kind +
         "\nmetadata:\n  name: w\n  annotations:\n    config.openshift.io/inject-proxy: " + names +
         "\nspec:\n  template:\n    spec:\n" + containers;
}

constexpr const char* kVariables =
    "        - name: HTTP_PROXY\n          value: http://p:1\n        - name: HTTPS_PROXY\n        - name: NO_PROXY\n"
    "          value: .svc,localhost\n";

TEST(Inject, NamedContainersGetAllThreeVariables) {
  for (const char* kind : {"Deployment", "DaemonSet"}) {
    const Injected result =
        InjectInto(Workload(kind, "a,i",
                            "      containers:\n      - name: a\n        image: x\n        env:\n        - name: A\n"
                            "          value: \"1\"\n      - name: b\n      initContainers:\n      - name: i\n"));
    ASSERT_TRUE(result.report);
    EXPECT_EQ(result.report->workloads, 1U);
    EXPECT_EQ(
        result.yaml,
        Workload(kind, "a,i",
                 std::string("      containers:\n      - name: a\n        image: x\n        env:\n        - name: A\n"
                             "          value: \"1\"\n") +
                     kVariables + "      - name: b\n      initContainers:\n      - name: i\n        env:\n" +
                     kVariables));
  }
}

TEST(Inject, TheResultCanBeGivenAgain) {
  const std::string once = InjectInto(Workload("Deployment", "a", "      containers:\n      - name: a\n")).yaml;
  const Injected twice = InjectInto(once);
  EXPECT_EQ(twice.yaml, once);
  EXPECT_EQ(twice.report->workloads, 0U);
}

TEST(Inject, VariablesAreAppendedNotReplaced) {
  const Injected result = InjectInto(
      Workload("Deployment", "a",
               "      containers:\n      - name: a\n        env:\n        - name: NO_PROXY\n          value: mine\n"));
  EXPECT_THAT(result.findings, ElementsAre(Field(&Finding::code, "inject-duplicate")));
  EXPECT_NE(result.yaml.find("value: mine\n        - name: HTTP_PROXY"), std::string::npos) << result.yaml;
}

TEST(Inject, AMissingContainerIsSaidInTheOperatorsWords) {
  const Injected result =
      InjectInto(Workload("Deployment", "\"a, b\"", "      containers:\n      - name: a\n      - name: b\n"));
  EXPECT_THAT(result.report->errors, ElementsAre(R"(requested injection for non-existent container: " b")"))
      << "names are not trimmed";
}

TEST(Inject, NoProxyNoVariables) {
  const std::string text = Workload("Deployment", "missing", "      containers:\n      - name: a\n");
  const Injected result = InjectInto(text, {});
  EXPECT_EQ(result.yaml, text);
  EXPECT_THAT(result.report->errors, IsEmpty());
  EXPECT_EQ(InjectInto(text, {Secret(), Secret(), "*"}).report->errors.size(), 1U) << "one of the three is enough";
}

TEST(Inject, OtherKindsAreReported) {
  EXPECT_THAT(InjectInto(Workload("StatefulSet", "a", "      containers:\n      - name: a\n")).findings,
              ElementsAre(Field(&Finding::code, "inject-kind")));
}

TEST(Inject, EachItemOfAList) {
  const std::string json = R"({"kind":"List","items":[
    {"kind":"ConfigMap","metadata":{"labels":{"config.openshift.io/inject-trusted-cabundle":"true"}}},
    {"kind":"Secret","data":{"x":"eA=="}},
    {"kind":"Deployment","metadata":{"annotations":{"config.openshift.io/inject-proxy":"a"}},"spec":{"template":{"spec":{"containers":[{"name":"a"}]}}}}]})";
  const Injected result = InjectInto(json);
  EXPECT_EQ(result.report->config_maps, 1U);
  EXPECT_EQ(result.report->workloads, 1U);
}

TEST(Inject, EachOfSeveralDocuments) {
  const std::string map = ConfigMap("\"true\"", "");
  auto object = ReadManifest(map + "---\nkind: Pod\n---\n" + map, "f");
  ASSERT_TRUE(object) << object.error().message;
  const Injection injection{"B", {}};
  Findings findings;
  const auto report = Inject(*object, injection, findings);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->config_maps, 2U);
  const std::string done = ConfigMap("\"true\"", "data:\n  ca-bundle.crt: B\n");
  EXPECT_EQ(WriteManifest(*object), "---\n" + done + "---\nkind: Pod\n---\n" + done);
}

TEST(Inject, WrongTypesAreErrorsAndNamed) {
  EXPECT_EQ(InjectInto(ConfigMap("\"true\"", "data: x\n")).report.error().where, "f: $.data");
  EXPECT_EQ(InjectInto(Workload("Deployment", "a", "      containers: 1\n")).report.error().where,
            "f: $.spec.template.spec.containers");
  EXPECT_EQ(InjectInto(Workload("Deployment", "a", "      containers:\n      - 1\n")).report.error().where,
            "f: $.spec.template.spec.containers[0]");
  EXPECT_EQ(InjectInto(Workload("Deployment", "a", "      containers:\n      - name: a\n        env: 1\n"))
                .report.error()
                .where,
            "f: $.spec.template.spec.containers[0].env");
  EXPECT_EQ(InjectInto("kind: Deployment\nmetadata:\n  annotations:\n    config.openshift.io/inject-proxy: a\n")
                .report.error()
                .where,
            "f: $.spec");
  EXPECT_EQ(InjectInto("kind: List\nitems:\n- 1\n").report.error().where, "f: $.items[0]");
  EXPECT_EQ(InjectInto("[]").report.error().code, Code::kKind);
}

TEST(Inject, WhatWouldGrowTooMuchIsRefused) {
  std::string names = "a";
  for (int i = 0; i < 200; ++i) names += ",a";
  EXPECT_EQ(InjectInto(Workload("Deployment", names, "      containers:\n      - name: a\n")).report.error().code,
            Code::kTooLarge);
  std::string list = R"({"kind":"List","items":[)";
  for (int i = 0; i < 3000; ++i)
    list += std::string(i > 0 ? "," : "") +
            R"({"kind":"ConfigMap","metadata":{"labels":{"config.openshift.io/inject-trusted-cabundle":"true"}}})";
  auto object = ReadAnyObject(list + "]}", "f");
  ASSERT_TRUE(object);
  const std::string bundle(100'000, 'x');
  const Injection injection{bundle, {}};
  Findings findings;
  EXPECT_EQ(Inject(*object, injection, findings).error().code, Code::kTooLarge);
}

}  // namespace
}  // namespace prov::publish
