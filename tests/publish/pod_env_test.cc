#include "provisioner/publish/pod_env.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/publish/pod_trust.h"
#include "provisioner/publish/yaml_writer.h"
#include "tests/support/finding_codes.h"
#include "tests/support/json_text.h"
#include "tests/support/result.h"

namespace prov::publish {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing_support::HasCode;
using testing_support::JsonOf;

PodEnvRequest Wanted(PatchKind patch = PatchKind::kStrategic) {
  return {.proxy = {Secret("http://p:1/"), Secret("http://s:2/"), "a,.b"}, .patch = patch};
}

Result<PodEnvReport> Made(const std::string& manifest, const PodEnvRequest& request = Wanted()) {
  const auto object = ReadManifest(manifest, "f");
  if (!object) return std::unexpected(object.error());
  return MakePodEnv(*object, request);
}

std::string Failure(const Result<PodEnvReport>& made) {
  return made ? "it was made"
              : fmt::format("{}: {} ({})", InfoOf(made.error().code).name, made.error().message, made.error().where);
}

std::string PatchOf(const std::string& manifest, const PodEnvRequest& request = Wanted()) {
  const auto made = Made(manifest, request);
  return made ? JsonOf(made->objects.at(0).patch) : Failure(made);
}

// `spec` is what stands in the pod's spec, `metadata` in the template's.
std::string Deployment(const std::string& spec, const std::string& metadata = "") {
  return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"n"},"spec":{"template":{)" +
         (metadata.empty() ? "" : "\"metadata\":{" + metadata + "},") + R"("spec":{)" + spec + "}}}}";
}
std::string Containers(const std::string& containers) { return "\"containers\":[" + containers + "]"; }
std::string OptOut(const std::string& value) {
  return R"("annotations":{"kubernetes.azure.com/no-http-proxy-vars":)" + value + "}";
}

// All that a container can have.
constexpr const char* kFull =
    R"({"name":"full","env":[{"name":"HTTP_PROXY"},{"name":"http_proxy","value":""},{"name":"HTTPS_PROXY","value":"http://s:2/"},)"
    R"({"name":"https_proxy","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}},{"name":"NO_PROXY","value":"a,.b"},)"
    R"({"name":"no_proxy","value":"$(MINE),a"}]})";

constexpr const char* kSix =
    R"([{"name":"HTTP_PROXY","value":"http://p:1/"},{"name":"http_proxy","value":"http://p:1/"},)"
    R"({"name":"HTTPS_PROXY","value":"http://s:2/"},{"name":"https_proxy","value":"http://s:2/"},)"
    R"({"name":"NO_PROXY","value":"a,.b"},{"name":"no_proxy","value":"a,.b"}])";

TEST(PodEnv, AContainerGetsWhatItLacksAndKeepsWhatItHas) {
  const auto made = Made(Deployment(Containers(
      R"({"name":"a"},{"name":"b","env":[{"name":"X","value":"y"},{"name":"http_proxy","value":"http://p:1/"},{"name":"NO_PROXY"}]})")));
  ASSERT_TRUE(made) << Failure(made);
  ASSERT_THAT(made->objects, SizeIs(1));
  const PodEnvObject& object = made->objects[0];
  EXPECT_EQ(object.kind + "/" + object.name + "/" + object.name_space, "Deployment/d/n");
  EXPECT_FALSE(object.windows || object.opted_out);
  ASSERT_THAT(object.containers, SizeIs(2));
  EXPECT_THAT(object.containers[0].added,
              ElementsAre("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"));
  EXPECT_THAT(object.containers[0].kept, IsEmpty());
  EXPECT_THAT(object.containers[1].added, ElementsAre("HTTP_PROXY", "HTTPS_PROXY", "https_proxy", "no_proxy"));
  EXPECT_THAT(object.containers[1].kept, ElementsAre("http_proxy", "NO_PROXY"));
  EXPECT_EQ(
      JsonOf(object.patch),
      fmt::format(
          R"({{"spec":{{"template":{{"spec":{{"containers":[{{"name":"a","env":{}}},{{"name":"b","env":[{{"name":"HTTP_PROXY","value":"http://p:1/"}},{{"name":"HTTPS_PROXY","value":"http://s:2/"}},{{"name":"https_proxy","value":"http://s:2/"}},{{"name":"no_proxy","value":"a,.b"}}]}}]}}}}}}}})",
          kSix));
  EXPECT_THAT(made->findings, IsEmpty());
}

// The former proxy of a pod that was patched before, or written by hand.
TEST(PodEnv, AStaleValueIsReplaced) {
  const std::string container =
      R"({"name":"c","env":[{"name":"HTTP_PROXY","value":"http://old:1/"},{"name":"X","value":"y"},)"
      R"({"name":"http_proxy","value":"http://old:1/"},{"name":"HTTPS_PROXY","value":"http://twice:1/"},)"
      R"({"name":"HTTPS_PROXY","value":"http://s:2/"},{"name":"https_proxy","value":"http://$(HOST):1"},)"
      R"({"name":"NO_PROXY","value":"a"},{"name":"no_proxy","value":""}]})";
  const auto made = Must(Made(Deployment(Containers(container))));
  const PodContainer& found = made.objects[0].containers[0];
  EXPECT_THAT(found.stale, ElementsAre("HTTP_PROXY", "http_proxy", "NO_PROXY"));
  EXPECT_THAT(found.kept, ElementsAre("HTTPS_PROXY", "https_proxy", "no_proxy"));
  EXPECT_THAT(found.added, IsEmpty());
  EXPECT_TRUE(found.Lacks());
  EXPECT_EQ(JsonOf(made.objects[0].patch),
            R"({"spec":{"template":{"spec":{"containers":[{"name":"c","env":[{"name":"HTTP_PROXY","value":)"
            R"("http://p:1/"},{"name":"http_proxy","value":"http://p:1/"},{"name":"NO_PROXY","value":"a,.b"}]}]}}}})");
  EXPECT_TRUE(Made(Deployment(Containers(container), OptOut("\"true\"")))->objects[0].patch.IsNull());
  PodEnvRequest none = Wanted();
  none.proxy = {};
  EXPECT_TRUE(Made(Deployment(Containers(container)), none)->objects[0].patch.IsNull()) << "pod-env-nothing says so";
}

TEST(PodEnv, AValueIsComparedAsTheContainerGetsIt) {
  PodEnvRequest request = Wanted();
  request.proxy = {Secret("http://u:a$b@p:1/"), Secret(), ""};
  const auto stale = [&](const std::string& value) {
    const auto made = Made(
        Deployment(Containers(R"({"name":"c","env":[{"name":"HTTP_PROXY","value":")" + value + R"("}]})")), request);
    return made ? made->objects[0].containers[0].stale.size() : 99;
  };
  EXPECT_EQ(stale("http://u:a$b@p:1/"), 0U);
  EXPECT_EQ(stale("http://u:a$$b@p:1/"), 0U);
  EXPECT_EQ(stale("http://u:b@p:1/"), 1U);
  request.shown = {Secret("http://u:***@p:1/"), Secret(), ""};
  EXPECT_EQ(stale("http://u:a$b@p:1/"), 0U) << "the patch shows another value than the one that is compared";
}

TEST(PodEnv, WhatValueFromBringsIsKeptAndNamed) {
  const auto made = Must(Made(Deployment(Containers(kFull))));
  ASSERT_THAT(made.findings, ElementsAre(Field(&Finding::code, "pod-env-from")));
  EXPECT_THAT(made.findings[0].message, HasSubstr("https_proxy"));
}

TEST(PodEnv, NothingToAddIsNoPatch) {
  for (const PatchKind kind : {PatchKind::kStrategic, PatchKind::kJson}) {
    const auto made = Must(Made(Deployment(Containers(kFull)), Wanted(kind)));
    EXPECT_TRUE(made.objects[0].patch.IsNull());
    EXPECT_THAT(made.objects[0].containers[0].added, IsEmpty());
    EXPECT_THAT(made.objects[0].containers[0].kept, SizeIs(6));
  }
}

TEST(PodEnv, AMergePatchNamesOnlyContainersThatGetSomething) {
  const std::string init = std::string(R"("initContainers":[)") + kFull + R"(,{"name":"i"}],)";
  EXPECT_EQ(PatchOf(Deployment(init + Containers(R"({"name":"c","env":[]})"))),
            fmt::format(R"({{"spec":{{"template":{{"spec":{{"containers":[{{"name":"c","env":{0}}}],)"
                        R"("initContainers":[{{"name":"i","env":{0}}}]}}}}}}}})",
                        kSix));
  std::string full(kFull);
  full.replace(full.find("full"), 4, "c");
  EXPECT_THAT(PatchOf(Deployment(init + Containers(full))), Not(HasSubstr("\"containers\"")))
      << "a list with nothing to add stays out";
}

TEST(PodEnv, AJsonPatchChecksTheNameOfWhatItChanges) {
  const std::string pod =
      R"({"kind":"Pod","metadata":{"name":"p"},"spec":{"initContainers":[{"name":"i","env":null}],)" +
      Containers(std::string(kFull) + R"(,{"name":"c","env":[{"name":"no_proxy"},{"name":"http_proxy"}]})") + "}}";
  PodEnvRequest request = Wanted(PatchKind::kJson);
  request.proxy.https_proxy = Secret();
  EXPECT_EQ(
      PatchOf(pod, request),
      R"([{"op":"test","path":"/spec/containers/0/name","value":"full"},)"
      R"({"op":"test","path":"/spec/containers/0/env/2/name","value":"HTTPS_PROXY"},)"
      R"({"op":"replace","path":"/spec/containers/0/env/2","value":{"name":"HTTPS_PROXY","value":""}},)"
      R"({"op":"test","path":"/spec/containers/1/name","value":"c"},)"
      R"({"op":"add","path":"/spec/containers/1/env/-","value":{"name":"HTTP_PROXY","value":"http://p:1/"}},)"
      R"({"op":"add","path":"/spec/containers/1/env/-","value":{"name":"NO_PROXY","value":"a,.b"}},)"
      R"({"op":"test","path":"/spec/initContainers/0/name","value":"i"},)"
      R"({"op":"add","path":"/spec/initContainers/0/env","value":[{"name":"HTTP_PROXY","value":"http://p:1/"},)"
      R"({"name":"http_proxy","value":"http://p:1/"},{"name":"NO_PROXY","value":"a,.b"},{"name":"no_proxy","value":"a,.b"}]}])");
}

TEST(PodEnv, EachKindIsPatchedWhereItKeepsItsPod) {
  const std::string spec = R"("spec":{"containers":[{"name":"c"}]})";
  const std::string in_template = R"("template":{)" + spec + "}";
  const std::tuple<const char*, std::string, std::string> rows[] = {
      {"Pod", spec, ""},
      {"PodTemplate", in_template, "/template"},
      {"DaemonSet", R"("spec":{)" + in_template + "}", "/spec/template"},
      {"CronJob", R"("spec":{"jobTemplate":{"spec":{)" + in_template + "}}}", "/spec/jobTemplate/spec/template"},
  };
  for (const auto& [kind, rest, path] : rows) {
    const std::string text = std::string(R"({"kind":")") + kind + R"(",)" + rest + "}";
    EXPECT_THAT(PatchOf(text, Wanted(PatchKind::kJson)),
                StartsWith(R"([{"op":"test","path":")" + path + R"(/spec/containers/0/name")"))
        << kind;
  }
  EXPECT_THAT(PatchOf(R"({"kind":"CronJob",)" + std::get<1>(rows[3]) + "}"),
              StartsWith(R"({"spec":{"jobTemplate":{"spec":{"template":{"spec":{"containers":[)"));
}

TEST(PodEnv, WindowsHasThreeNamesWhateverTheirCase) {
  const std::string container =
      R"({"name":"w","env":[{"name":"no_Proxy","value":"a,.b"},{"name":"http_proxy","value":"x"}]})";
  for (const char* os : {R"("os":{"name":"windows"},)", R"("nodeSelector":{"kubernetes.io/os":"windows"},)"}) {
    const auto made = Must(Made(Deployment(os + Containers(container))));
    EXPECT_TRUE(made.objects[0].windows) << os;
    EXPECT_THAT(made.objects[0].containers[0].added, ElementsAre("HTTPS_PROXY"));
    EXPECT_THAT(made.objects[0].containers[0].kept, ElementsAre("no_Proxy"));
    EXPECT_THAT(made.objects[0].containers[0].stale, ElementsAre("http_proxy"));
  }
  const auto other = Must(Made(
      Deployment(R"("os":{"name":"linux"},"nodeSelector":{"kubernetes.io/os":"windows"},)" + Containers(container))));
  EXPECT_FALSE(other.objects[0].windows);
  EXPECT_THAT(other.objects[0].containers[0].added, SizeIs(5));
  EXPECT_THAT(other.findings, HasCode("pod-os"));
}

std::string Affinity(const std::string& terms) {
  return R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)" +
         terms + "]}}},";
}

// `values` is the array's text; "" for none.
std::string Term(const char* key, const char* op, const std::string& values = "") {
  return fmt::format(
      R"({{"matchExpressions":[{{"key":"site","operator":"Exists"}},{{"key":"{}","operator":"{}"{}}}]}})", key, op,
      values.empty() ? "" : ",\"values\":" + values);
}

TEST(PodEnv, EachFieldThatOnlyWindowsNodesMeetMakesAWindowsPod) {
  constexpr const char* kOs = "kubernetes.io/os";
  constexpr const char* kBuild = "node.kubernetes.io/windows-build";
  const std::string in = Term(kOs, "In", R"(["windows"])");
  const std::pair<std::string, bool> rows[] = {
      {R"("nodeSelector":{"beta.kubernetes.io/os":"windows"},)", true},
      {R"("nodeSelector":{"node.kubernetes.io/windows-build":"10.0.20348"},)", true},
      {R"("nodeSelector":{"node-role.kubernetes.io/infra":""},)", false},
      {Affinity(in), true},
      {Affinity(Term("beta.kubernetes.io/os", "In", R"(["windows"])")), true},
      {Affinity(Term(kOs, "NotIn", R"(["linux"])")), true},
      {Affinity(Term(kBuild, "Exists")), true},
      {Affinity(Term(kBuild, "In", R"(["10.0.20348","10.0.26100"])") + "," + in), true},
      {Affinity(in + "," + Term(kOs, "In", R"(["linux"])")), false},
      {Affinity(in + "," + Term("zone", "Exists")), false},
      {Affinity(Term(kOs, "In", R"(["linux","windows"])")), false},
      {Affinity(Term(kOs, "NotIn", R"(["windows"])")), false},
      {Affinity(Term(kBuild, "DoesNotExist")), false},
      {Affinity(Term(kBuild, "NotIn", R"(["10.0.17763"])")), false},
  };
  for (const auto& [spec, windows] : rows) {
    const auto made = Must(Made(Deployment(spec + Containers(R"({"name":"c"})"))));
    EXPECT_EQ(made.objects[0].windows, windows) << spec;
    EXPECT_THAT(made.findings, IsEmpty()) << spec;
  }
  const auto both = Must(Made(Deployment(R"("nodeSelector":{"beta.kubernetes.io/os":"linux"},)" + Affinity(in) +
                                         Containers(R"({"name":"c"})"))));
  ASSERT_THAT(both.findings, ElementsAre(Field(&Finding::code, "pod-os")));
  EXPECT_THAT(both.findings[0].message, StartsWith("nodeSelector says \"linux\" and nodeAffinity \"windows\""));
}

TEST(PodEnv, ARuntimeClassChoosesNodesOrIsMissed) {
  const std::string pod = "kind: Pod\nspec:\n  runtimeClassName: win\n  containers:\n  - name: c\n";
  const std::string of_name = "---\nkind: RuntimeClass\nmetadata:\n  name: {}\nhandler: x\n";
  const std::string scheduling = "scheduling:\n  nodeSelector:\n    kubernetes.io/os: windows\n";
  const auto known = Must(Made(pod + fmt::format(fmt::runtime(of_name), "win") + scheduling));
  EXPECT_TRUE(known.objects[0].windows);
  EXPECT_THAT(known.findings, IsEmpty());

  const auto unscheduled = Must(Made(pod + fmt::format(fmt::runtime(of_name), "win")));
  EXPECT_FALSE(unscheduled.objects[0].windows);
  EXPECT_THAT(unscheduled.findings, IsEmpty());

  const auto missed = Must(Made(pod + fmt::format(fmt::runtime(of_name), "other") + scheduling));
  EXPECT_FALSE(missed.objects[0].windows);
  ASSERT_THAT(missed.findings, ElementsAre(Field(&Finding::code, "pod-runtime-class")));
  EXPECT_EQ(missed.findings[0].where, "f: $[0].spec.runtimeClassName");
  const auto other = Must(ReadManifest(R"({"kind":"RuntimeClassList","items":[{"metadata":{"name":"win"},"scheduling":)"
                                       R"({"nodeSelector":{"kubernetes.io/os":"windows"}}}]})",
                                       "g"));
  PodEnvRequest request = Wanted();
  request.others = {&other};
  EXPECT_TRUE(Made(pod, request)->objects[0].windows);
  EXPECT_THAT(Made(pod + "  os:\n    name: windows\n")->findings, IsEmpty()) << "os.name says enough";
}

TEST(PodEnv, KindsThatItDoesNotKnowAreNamed) {
  const std::string rollout =
      "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata:\n  name: r\nspec:\n  template:\n    spec:\n"
      "      containers:\n      - name: c\n        image: x\n";
  const auto beside = Must(Made(rollout + "---\nkind: Pod\nspec:\n  containers:\n  - name: c\n"));
  ASSERT_THAT(beside.findings, ElementsAre(Field(&Finding::code, "pod-kind")));
  EXPECT_THAT(beside.findings[0].message, HasSubstr("Rollout"));
  EXPECT_EQ(beside.findings[0].where, "f: $[0].spec.template.spec.containers");
  EXPECT_THAT(Failure(Made(rollout)), HasSubstr("the kind Rollout has containers"));
}

TEST(PodEnv, TheAnnotationCountsOnThePodAlone) {
  const std::string containers = Containers(R"({"name":"c","env":[{"name":"NO_PROXY"}]})");
  const auto out = Must(Made(Deployment(containers, OptOut("\"true\""))));
  EXPECT_TRUE(out.objects[0].opted_out && out.objects[0].patch.IsNull());
  EXPECT_THAT(out.objects[0].containers[0].added, IsEmpty());
  EXPECT_THAT(out.objects[0].containers[0].kept, ElementsAre("NO_PROXY"));
  EXPECT_THAT(out.findings, HasCode("pod-opt-out"));

  std::string misplaced = Deployment(containers);
  misplaced.replace(misplaced.find(R"("name":"d")"), 10, R"("name":"d",)" + OptOut("\"true\""));
  const auto in = Must(Made(misplaced));
  EXPECT_FALSE(in.objects[0].opted_out || in.objects[0].patch.IsNull());
  EXPECT_THAT(in.findings, ElementsAre(Field(&Finding::code, "pod-opt-out-place")));
  EXPECT_EQ(in.findings[0].where, "f: $.metadata");

  const auto other = Must(Made(Deployment(containers, OptOut("\"True\""))));
  EXPECT_FALSE(other.objects[0].opted_out || other.objects[0].patch.IsNull());
  EXPECT_THAT(other.findings, HasCode("pod-opt-out-value"));
  EXPECT_THAT(Failure(Made(Deployment(containers, OptOut("true")))), StartsWith("type: expected a string, found a "));
}

TEST(PodEnv, WhatEnvFromBringsIsKeptAsFarAsItIsThere) {
  const std::string map =
      "kind: ConfigMap\nmetadata:\n  name: m\n  namespace: ns\ndata:\n  PROXY: http://p:1/\n  other: x\n---\n"
      "kind: ConfigMap\nmetadata:\n  name: m\n  namespace: elsewhere\ndata:\n  NO_PROXY: x\n---\n";
  const std::string pod =
      "kind: Pod\nmetadata:\n  namespace: ns\nspec:\n  containers:\n  - name: c\n    envFrom:\n"
      "    - prefix: HTTP_\n      configMapRef:\n        name: m\n    - secretRef:\n        name: s\n";
  const auto made = Must(Made(map + pod));
  EXPECT_THAT(made.objects[0].containers[0].kept, ElementsAre("HTTP_PROXY"));
  EXPECT_THAT(made.objects[0].containers[0].added, SizeIs(5));
  ASSERT_THAT(made.findings, ElementsAre(Field(&Finding::code, "pod-env-from")));
  EXPECT_EQ(made.findings[0].where, "f: $[2].spec.containers[0].envFrom[1]");
  EXPECT_THAT(made.findings[0].message, HasSubstr("a Secret of Pod ns/ may hold"));
  EXPECT_THAT(Made(pod)->findings, SizeIs(2));
  std::string stale_map = map;
  stale_map.replace(stale_map.find("http://p:1/"), 11, "http://old:1/");
  const auto stale = Must(Made(stale_map + pod, Wanted(PatchKind::kJson)));
  EXPECT_THAT(stale.objects[0].containers[0].stale, ElementsAre("HTTP_PROXY"));
  EXPECT_THAT(JsonOf(stale.objects[0].patch), HasSubstr(R"({"name":"HTTP_PROXY","value":"http://p:1/"})"))
      << "env overrides envFrom";
}

TEST(PodEnv, SeveralObjectsEachGetTheirOwn) {
  const std::string documents = "kind: Service\nmetadata:\n  name: s\n---\n" + Deployment(Containers(kFull)) +
                                "\n---\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: c\n";
  const std::string list = R"({"kind":"PodList","items":[{"metadata":{"name":"a"},"spec":{"containers":[]}},)"
                           R"({"metadata":{"name":"b"},"spec":{"containers":[{"name":"c"}]}}]})";
  for (const std::string& text : {documents, list}) {
    const auto made = Must(Made(text));
    ASSERT_THAT(made.objects, SizeIs(2));
    EXPECT_TRUE(made.objects[0].patch.IsNull());
    EXPECT_FALSE(made.objects[1].patch.IsNull());
  }
}

TEST(PodEnv, ADollarStaysOne) {
  PodEnvRequest request = Wanted();
  request.proxy = {Secret("http://u:$(A)$$b$c$@p:1/"), Secret(), ""};
  // Kubernetes makes $( of $$( and $ of $$; other dollars stay.
  EXPECT_THAT(PatchOf(Deployment(Containers(R"({"name":"c"})")), request),
              HasSubstr(R"("value":"http://u:$$(A)$$$b$c$@p:1/")"));
}

TEST(PodEnv, NoneIsAReportAlone) {
  const auto made = Must(Made(Deployment(Containers(R"({"name":"c"})")), Wanted(PatchKind::kNone)));
  EXPECT_TRUE(made.objects[0].patch.IsNull());
  EXPECT_THAT(made.objects[0].containers[0].added, SizeIs(6));
  EXPECT_EQ(JsonOf(EmptyPatch(PatchKind::kStrategic)) + JsonOf(EmptyPatch(PatchKind::kJson)), "{}[]");
}

TEST(PodEnv, WhatIsNoPodIsNamed) {
  const std::pair<std::string, std::string> rows[] = {
      {"kind: Service\n", "kind: nothing in it is a pod or makes pods"},
      {"kind: Deployment\n", "type: this Deployment has no pod's spec, which it must have (f: $)"},
      {Deployment(R"("containers":{})"),
       "type: expected an array of objects, found an object (f: $.spec.template.spec"},
      {Deployment(Containers("{}")), "invalid-config: the container has no name, which Kubernetes wants (f: $.spec"},
      {Deployment(Containers(R"({"name":"c"})") + R"(,"initContainers":[{"name":"c"}])"),
       "invalid-config: two containers have the name \"c\""},
      {Deployment(Containers(R"({"name":"c","env":{}})")), "type: "},
      {Deployment(Containers(R"({"name":"c"})") + R"(,"nodeSelector":[])"), "type: "},
  };
  for (const auto& [text, failure] : rows) EXPECT_THAT(Failure(Made(text)), StartsWith(failure)) << text;
}

TEST(PodEnv, ManyContainersCannotBlowItUp) {
  std::string containers;
  for (int i = 0; i < 100; ++i) containers += fmt::format("{}{{\"name\":\"c{}\"}}", i == 0 ? "" : ",", i);
  PodEnvRequest request = Wanted();
  request.proxy.no_proxy = std::string(30000, 'a');
  EXPECT_TRUE(Made(Deployment(Containers(containers)), request));
  request.proxy.no_proxy = std::string(100000, 'a');
  EXPECT_THAT(Failure(Made(Deployment(Containers(containers)), request)), StartsWith("too-large: "));
}

PodEnvRequest Trusting(PatchKind patch = PatchKind::kStrategic) {
  PodEnvRequest out = Wanted(patch);
  out.proxy = {};
  out.trust = PodTrust{"ca", "all.pem"};
  return out;
}

TEST(PodTrustPatch, IsAVolumeMountsAndVariables) {
  const std::string patch = PatchOf(Deployment(Containers(R"({"name":"c"})")), Trusting());
  EXPECT_THAT(patch, HasSubstr(R"("volumes":[{"name":"egress-trust","configMap":{"name":"ca"}}])"));
  EXPECT_THAT(patch,
              HasSubstr(R"("volumeMounts":[{"name":"egress-trust","mountPath":"/etc/egress-trust","readOnly":true}])"));
  EXPECT_THAT(patch, HasSubstr(R"({"name":"SSL_CERT_FILE","value":"/etc/egress-trust/all.pem"})"));
  EXPECT_THAT(patch, testing::Not(HasSubstr("HTTP_PROXY")));
}

TEST(PodTrustPatch, GoesByIndexAsAJsonPatch) {
  const std::string patch = PatchOf(
      Deployment(
          Containers(
              R"({"name":"c","env":[{"name":"A","value":"b"}],"volumeMounts":[{"name":"v","mountPath":"/v"}]})") +
          R"(,"volumes":[{"name":"v","emptyDir":{}}])"),
      Trusting(PatchKind::kJson));
  EXPECT_THAT(patch, HasSubstr(R"({"op":"test","path":"/spec/template/spec/containers/0/name","value":"c"})"));
  EXPECT_THAT(patch, HasSubstr(R"("path":"/spec/template/spec/containers/0/volumeMounts/-")"));
  EXPECT_THAT(patch, HasSubstr(R"("path":"/spec/template/spec/volumes/-")"));
  EXPECT_THAT(PatchOf(Deployment(Containers(R"({"name":"c"})")), Trusting(PatchKind::kJson)),
              HasSubstr(R"("path":"/spec/template/spec/volumes","value":[)"));
}

TEST(PodTrustPatch, WhoOptedOutOfTheProxyTrustsAllTheSame) {
  const std::string pod = Deployment(Containers(R"({"name":"c"})"), OptOut("\"true\""));
  EXPECT_THAT(PatchOf(pod, Trusting()), HasSubstr("SSL_CERT_FILE"));
  PodEnvRequest both = Wanted();
  both.trust = PodTrust{"ca", "all.pem"};
  EXPECT_THAT(PatchOf(pod, both), testing::Not(HasSubstr("HTTP_PROXY")));
}

// As the admission policy, which can't fail: the proxy is added, and no variable names a file that is not there.
TEST(PodTrustPatch, AnotherVolumeOfItsNameLeavesThePodWithoutTheBundle) {
  for (const char* volume : {R"("emptyDir":{})", R"("configMap":{"name":"b"})"}) {
    const std::string pod =
        Deployment(Containers(R"({"name":"c"})") + fmt::format(R"(,"volumes":[{{"name":"egress-trust",{}}}])", volume));
    PodEnvRequest request = Wanted();
    request.trust = PodTrust{"ca", "all.pem"};
    const auto made = Must(Made(pod, request));
    const PodContainer& container = made.objects[0].containers[0];
    EXPECT_THAT(container.added, SizeIs(6));
    EXPECT_TRUE(container.untrusted);
    EXPECT_FALSE(container.mounts || container.imports || made.objects[0].adds_volume);
    ASSERT_THAT(made.findings, ElementsAre(Field(&Finding::code, "pod-trust-taken")));
    EXPECT_THAT(made.findings[0].message,
                HasSubstr("\"c\" of Deployment n/d gets no certificates: another volume has"));
  }
}

// Its certificate store is the one of its node.
TEST(PodTrustPatch, AHostProcessContainerImportsNothing) {
  const std::string windows = R"(,"nodeSelector":{"kubernetes.io/os":"windows"})";
  const std::string flag = R"("securityContext":{"windowsOptions":{"hostProcess":true}})";
  const auto imports = [](const std::string& spec) {
    const auto made = Made(Deployment(spec), Trusting());
    EXPECT_TRUE(made) << Failure(made);
    return made && made->objects[0].containers[0].imports;
  };
  EXPECT_TRUE(imports(Containers(R"({"name":"c"})") + windows));
  EXPECT_FALSE(imports(Containers(R"({"name":"c"})") + windows + "," + flag)) << "the pod says so";
  EXPECT_FALSE(imports(Containers(R"({"name":"c",)" + flag + "}") + windows)) << "the container says so";
  EXPECT_THAT(PatchOf(Deployment(Containers(R"({"name":"c",)" + flag + "}") + windows), Trusting()),
              AllOf(HasSubstr("SSL_CERT_FILE"), Not(HasSubstr("postStart"))));
}

TEST(PodTrustPatch, AContainerWithAnotherVolumeAtThePlaceGetsNothing) {
  const std::string mount = R"({{"name":"{}","volumeMounts":[{{"name":"{}","mountPath":"/etc/egress-trust/"}}]}})";
  const auto made =
      Must(Made(Deployment(Containers(fmt::format(fmt::runtime(mount), "other", "mine") + "," +
                                      fmt::format(fmt::runtime(mount), "same", "theirs") + R"(,{"name":"c"})") +
                           R"(,"volumes":[{"name":"theirs","configMap":{"name":"ca"}}])"),
                Trusting()));
  const std::vector<PodContainer>& containers = made.objects[0].containers;
  EXPECT_TRUE(containers[0].untrusted);
  EXPECT_THAT(containers[0].added, IsEmpty()) << "they would name a file that is not there";
  EXPECT_FALSE(containers[1].untrusted || containers[1].mounts) << "the same ConfigMap under another name";
  EXPECT_THAT(containers[1].added, SizeIs(6));
  EXPECT_TRUE(containers[2].mounts) << "the others get it";
  ASSERT_THAT(made.findings, ElementsAre(Field(&Finding::code, "pod-trust-taken")));
  EXPECT_THAT(made.findings[0].message, HasSubstr("move that mount"));
}

TEST(PodTrustPatch, APlaceIsTheSameHoweverItIsSpelled) {
  for (const char* path : {"/etc/egress-trust", "/etc/egress-trust/", "//etc/./egress-trust", "etc/egress-trust"})
    EXPECT_TRUE(IsTrustPlace(path, false)) << path;
  for (const char* path : {"/etc/Egress-Trust", "/etc/egress-trust/a", "/x/etc/egress-trust", "/etc", "", "/",
                           "/etc\\egress-trust", "c:/etc/egress-trust", "/etc/egress-trust.d"})
    EXPECT_FALSE(IsTrustPlace(path, false)) << path;
  for (const char* path : {R"(C:\egress-trust)", "c:/egress-trust", R"(c:\Egress-Trust\)", "/egress-trust",
                           "egress-trust", R"(C:\.\egress-trust)"})
    EXPECT_TRUE(IsTrustPlace(path, true)) << path;
  for (const char* path : {R"(D:\egress-trust)", R"(C:\egress-trust\a)", R"(C:\x\egress-trust)", "C:", ""})
    EXPECT_FALSE(IsTrustPlace(path, true)) << path;
}

}  // namespace
}  // namespace prov::publish
