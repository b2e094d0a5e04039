// `pod-env` as its callers see it; kubectl applies what it prints.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/rapidjson.h"
#include "tests/cli/program_run.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/sample.h"

namespace prov {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::HasKubectl;
using testing_support::ParsedJson;
using testing_support::ProcessResult;
using testing_support::Provisioner;

constexpr const char* kPodPassword = "c4nAryKx7qZ";

class PodEnvCommand : public testing_support::ProgramTest {
 protected:
  PodEnvCommand() {
    Write("proxy.env",
          std::string("HTTP_PROXY=http://u:") + kPodPassword + "@p:1\nHTTPS_PROXY=http://p:2\nNO_PROXY=a,.b\n");
    WriteDeployment();
  }

  void WriteDeployment() const {
    Write("pod.yaml", testing_support::ReadAll(testing_support::TestsFolder() + "/sample/deployment.yaml"));
  }

  static std::string Six() {
    std::string out;
    for (const char* name : {"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"})
      out += std::string("        - name: ") + name + "\n          value: \"\"\n";
    return out;
  }
  ProcessResult PodEnv(std::vector<std::string> more, const std::string& pod = "pod.yaml") const {
    std::vector<std::string> words = {"pod-env", At("proxy.env"), "--pod", At(pod)};
    words.insert(words.end(), more.begin(), more.end());
    return Provisioner(words);
  }

  // The manifest, patched by kubectl, as JSON.
  ProcessResult Patched(const std::string& type, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"--patch", type, "--format", "patch"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult patch = PodEnv(words);
    EXPECT_EQ(patch.exit, 0) << patch.err;
    Write("patch", patch.out);
    return testing_support::Kubectl(
        {"patch", "--local", "--type", type, "-f", At("pod.yaml"), "--patch-file", At("patch"), "-o", "json"});
  }
};

TEST_F(PodEnvCommand, ReportsWithoutPasswordsUnlessAsked) {
  const ProcessResult result = PodEnv({});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.out + result.err, Not(HasSubstr(kPodPassword)));
  const rapidjson::Document document = ParsedJson(result.out);
  EXPECT_EQ(document["schema"].GetInt(), 1);
  EXPECT_STREQ(document["patchType"].GetString(), "strategic");
  ASSERT_EQ(document["objects"].Size(), 1U);
  const rapidjson::Value& object = document["objects"][0];
  EXPECT_STREQ(object["name"].GetString(), "web");
  EXPECT_STREQ(object["namespace"].GetString(), "shop");
  EXPECT_STREQ(object["os"].GetString(), "linux");
  EXPECT_FALSE(object["optedOut"].GetBool());
  ASSERT_EQ(object["containers"].Size(), 3U);
  EXPECT_EQ(object["containers"][0]["added"].Size(), 5U);
  EXPECT_STREQ(object["containers"][0]["kept"][0].GetString(), "NO_PROXY");
  EXPECT_TRUE(object["containers"][1]["init"].GetBool());
  EXPECT_THAT(result.out, AllOf(HasSubstr("http://u:***@p:1"), HasSubstr("pod-env-redacted")));
  const ProcessResult whole = PodEnv({"--show-secrets"});
  EXPECT_THAT(whole.out, AllOf(HasSubstr(kPodPassword), Not(HasSubstr("pod-env-redacted"))));
}

TEST_F(PodEnvCommand, PrintsAPatchAloneAndTellsWhatItDoes) {
  const ProcessResult yaml = PodEnv({"--format", "patch"});
  EXPECT_THAT(yaml.out, AllOf(testing::StartsWith("spec:\n  template:\n"), HasSubstr(kPodPassword)));
  EXPECT_THAT(yaml.err, AllOf(HasSubstr("added HTTP_PROXY, http_proxy, HTTPS_PROXY, https_proxy, no_proxy; kept NO_"),
                              HasSubstr("init container \"first\": added nothing"), Not(HasSubstr(kPodPassword))));
  Write("pod.json", R"({"kind":"Pod","spec":{"containers":[{"name":"c"}]}})");
  EXPECT_TRUE(ParsedJson(PodEnv({"--format", "patch", "--patch", "json"}, "pod.json").out).IsArray())
      << "as the manifest is";
  Write("full.yaml", "kind: Pod\nspec:\n  containers:\n  - name: c\n    env:\n" + Six());
  EXPECT_EQ(PodEnv({"--format", "patch"}, "full.yaml").out, "{}\n");
  EXPECT_EQ(PodEnv({"--format", "patch", "--patch", "json"}, "full.yaml").out, "[]\n");
  EXPECT_TRUE(ParsedJson(PodEnv({}, "full.yaml").out)["objects"][0]["patch"].IsNull());
}

// kubectl applies each kind of patch; a second one finds nothing to add.
TEST_F(PodEnvCommand, TrustIsAMountVariablesAndOnWindowsAHook) {
  if (!HasKubectl()) GTEST_SKIP() << "NOT RUN: no kubectl";
  const std::vector<std::string> trust = {"--trust", "configmap/user-ca:all.pem"};
  Write("windows.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {a: b}}\n"
        "  template:\n    metadata: {labels: {a: b}}\n    spec:\n      os: {name: windows}\n"
        "      initContainers: [{name: first, image: i}]\n"
        "      containers:\n      - {name: c, image: i, env: [{name: Ssl_Cert_File, value: mine}]}\n"
        "      - {name: d, image: i, lifecycle: {preStop: {exec: {command: [x]}}}, "
        "volumeMounts: [{name: v, mountPath: 'C:\\v'}]}\n      volumes: [{name: v, emptyDir: {}}]\n");
  for (const char* pod : {"windows.yaml", "pod.yaml"}) {
    for (const char* type : {"strategic", "json"}) {
      WriteDeployment();
      if (pod != std::string("pod.yaml")) Write("pod.yaml", testing_support::ReadAll(At(pod)));
      const ProcessResult patched = Patched(type, trust);
      ASSERT_EQ(patched.exit, 0) << patched.err;
      EXPECT_THAT(patched.out, HasSubstr("\"name\": \"egress-trust\""));
      Write("again.json", patched.out);
      const rapidjson::Document again = ParsedJson(PodEnv(trust, "again.json").out);
      EXPECT_TRUE(again["objects"][0]["patch"].IsNull()) << type << pod << patched.out;
      if (pod == std::string("pod.yaml")) {
        EXPECT_THAT(patched.out,
                    AllOf(HasSubstr("\"value\": \"/etc/egress-trust/all.pem\""), Not(HasSubstr("postStart"))));
        continue;
      }
      EXPECT_THAT(patched.out,
                  AllOf(HasSubstr(R"("value": "C:\\egress-trust\\all.pem")"), HasSubstr("postStart"),
                        HasSubstr("preStop"), HasSubstr(R"("mountPath": "C:\\v")"), HasSubstr("\"value\": \"mine\"")));
      const rapidjson::Document object = ParsedJson(patched.out);
      const rapidjson::Value& spec = object["spec"]["template"]["spec"];
      EXPECT_FALSE(spec["initContainers"][0].HasMember("lifecycle")) << "Kubernetes refuses hooks there";
      EXPECT_EQ(spec["volumes"].Size(), 2U);
    }
  }
}

TEST_F(PodEnvCommand, ACheckListsWhatLacksSomething) {
  const std::vector<std::string> check = {"--check", "--trust", "configmap/user-ca"};
  const ProcessResult lacking = PodEnv(check);
  EXPECT_EQ(lacking.exit, 4) << lacking.err;
  const rapidjson::Document document = ParsedJson(lacking.out);
  EXPECT_EQ(document["lacking"].GetInt(), 1);
  EXPECT_TRUE(document["objects"][0]["addsVolume"].GetBool());
  EXPECT_TRUE(document["objects"][0]["patch"].IsNull());
  if (!HasKubectl()) GTEST_SKIP() << "NOT RUN: no kubectl";
  const ProcessResult patched = Patched("strategic", {"--trust", "configmap/user-ca"});
  ASSERT_EQ(patched.exit, 0) << patched.err;
  Write("done.json", patched.out);
  const ProcessResult done = PodEnv(check, "done.json");
  EXPECT_EQ(done.exit, 0) << done.out;
  EXPECT_EQ(ParsedJson(done.out)["lacking"].GetInt(), 0);
  const ProcessResult other = PodEnv({"--check", "--trust", "configmap/other"}, "done.json");
  EXPECT_EQ(other.exit, 0) << "another ConfigMap is there, which no patch changes";
  EXPECT_THAT(other.err + other.out, HasSubstr("pod-trust-taken"));
  EXPECT_TRUE(ParsedJson(other.out)["objects"][0]["containers"][0]["untrusted"].GetBool());
}

TEST_F(PodEnvCommand, AStaleValueIsADifference) {
  const std::string rest = "\n    - {name: HTTPS_PROXY, value: 'http://p:2'}\n    - {name: NO_PROXY, value: 'a,.b'}\n";
  const std::string head =
      "kind: Pod\nspec:\n  os: {name: windows}\n  containers:\n  - name: c\n    env:\n    - name: HTTP_PROXY\n      "
      "value: ";
  Write("now.yaml", head + "http://u:" + kPodPassword + "@p:1" + rest);
  EXPECT_EQ(PodEnv({"--check"}, "now.yaml").exit, 0);
  EXPECT_TRUE(ParsedJson(PodEnv({}, "now.yaml").out)["objects"][0]["patch"].IsNull()) << "passwords are compared whole";
  Write("old.yaml", head + "http://u:" + kPodPassword + "@former:1" + rest);
  const ProcessResult old = PodEnv({"--check"}, "old.yaml");
  EXPECT_EQ(old.exit, 4);
  EXPECT_STREQ(ParsedJson(old.out)["objects"][0]["containers"][0]["stale"][0].GetString(), "HTTP_PROXY");
  EXPECT_EQ(ParsedJson(old.out)["stale"].GetInt(), 1);
  EXPECT_THAT(old.out + PodEnv({}, "old.yaml").out, Not(HasSubstr(kPodPassword)));
  const ProcessResult patch = PodEnv({"--format", "patch"}, "old.yaml");
  EXPECT_THAT(patch.out, HasSubstr("@p:1"));
  EXPECT_THAT(patch.err, HasSubstr("added nothing; kept HTTPS_PROXY, NO_PROXY; replaced HTTP_PROXY"));
}

TEST_F(PodEnvCommand, TheAdmissionPolicyIsYamlOrJsonWithTheValues) {
  const auto print = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"pod-env", At("proxy.env"), "--format", "admission-policy"});
    return Provisioner(more);
  };
  const ProcessResult yaml = print({"--trust", "configmap/user-ca"});
  ASSERT_EQ(yaml.exit, 0) << yaml.err;
  EXPECT_THAT(yaml.out, AllOf(testing::StartsWith("---\napiVersion: admissionregistration.k8s.io/v1\nkind: Mutating"),
                              HasSubstr(kPodPassword), HasSubstr("trust-config-map: user-ca\n")));
  EXPECT_THAT(yaml.err, AllOf(HasSubstr("[pod-policy-server]"), HasSubstr("1.36"), HasSubstr("[pod-policy-import]"),
                              HasSubstr("warning [pod-trust-missing]"), HasSubstr("[pod-policy-secret]"),
                              Not(HasSubstr(kPodPassword))));
  const ProcessResult json = print({"--output", "json", "--namespace-selector", "a=b,!c", "--params", "shop/values"});
  ASSERT_EQ(json.exit, 0) << json.err;
  const rapidjson::Document list = ParsedJson(json.out);
  ASSERT_EQ(list["items"].Size(), 3U);
  EXPECT_STREQ(list["items"][0]["kind"].GetString(), "MutatingAdmissionPolicy");
  const rapidjson::Value& binding = list["items"][1];
  EXPECT_STREQ(binding["kind"].GetString(), "MutatingAdmissionPolicyBinding");
  EXPECT_STREQ(binding["spec"]["paramRef"]["name"].GetString(), "values");
  EXPECT_EQ(binding["spec"]["matchResources"]["namespaceSelector"]["matchExpressions"].Size(), 2U);
  const rapidjson::Value& map = list["items"][2];
  EXPECT_STREQ(map["metadata"]["namespace"].GetString(), "shop");
  EXPECT_EQ(map["data"]["HTTP_PROXY"].GetString(), std::string("http://u:") + kPodPassword + "@p:1");
  EXPECT_FALSE(map["data"].HasMember("trust-config-map"));
  EXPECT_THAT(json.err, Not(HasSubstr("pod-policy-import")));
  EXPECT_THAT(print({"--trust", "configmap/user-ca", "--namespace-selector", "trust=true"}).err,
              Not(HasSubstr("pod-trust-missing")));
}

TEST_F(PodEnvCommand, OptionsOfOtherFormsAreRefused) {
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"pod-env", At("proxy.env")});
    const ProcessResult result = Provisioner(more);
    return result.exit == 10 ? result.err : fmt::format("exit {}", result.exit);
  };
  for (const char* option : {"--check", "--restart", "--pod=pod.yaml", "--patch=json", "--wait=1"})
    EXPECT_THAT(refused({"--format", "admission-policy", option}), HasSubstr("is not for --format admission-policy"));
  EXPECT_THAT(refused({"--format", "admission-policy", "--namespace-selector", "a b"}), HasSubstr("env=prod"));
  EXPECT_THAT(refused({"--format", "admission-policy", "--params", "values"}), HasSubstr("NAMESPACE/NAME"));
  const std::string pod = "--pod=" + At("pod.yaml");
  EXPECT_THAT(refused({pod, "--namespace-selector", "a"}), HasSubstr("is for --format admission-policy"));
  EXPECT_THAT(refused({pod, "--params", "a/b"}), HasSubstr("is for --format admission-policy"));
  EXPECT_THAT(refused({pod, "--restart"}), HasSubstr("give --pod kube://"));
  EXPECT_THAT(refused({pod, "--check", "--wait", "5"}), HasSubstr("is for --restart"));
}

TEST_F(PodEnvCommand, WhatTrustTakesIsNamed) {
  for (const char* value :
       {"user-ca", "secret/user-ca", "configmap/", "configmap/User", "configmap/a:", "configmap/a:../b"}) {
    const ProcessResult result = PodEnv({"--trust", value});
    EXPECT_EQ(result.exit, 10) << value;
    EXPECT_THAT(result.err, HasSubstr("configmap/NAME:KEY"));
  }
  EXPECT_EQ(PodEnv({"--check", "--format", "patch"}).exit, 10);
  const ProcessResult cluster = Provisioner({"pod-env", At("proxy.env"), "--pod", "kube://"});
  EXPECT_EQ(cluster.exit, 10);
  EXPECT_THAT(cluster.err, HasSubstr("needs --check"));
}

TEST_F(PodEnvCommand, WrongUseSaysWhatToDo) {
  const auto usage = [](const ProcessResult& result) { return result.exit == 10 ? result.err : "no usage error"; };
  EXPECT_THAT(usage(Provisioner({"pod-env", At("proxy.env")})), HasSubstr("--pod FILE is missing"));
  EXPECT_THAT(usage(PodEnv({"--patch", "merge"})), HasSubstr("strategic, json"));
  Write("two.yaml", "kind: Pod\nspec: {containers: [{name: c}]}\n---\nkind: Pod\nspec: {containers: [{name: c}]}\n");
  const ProcessResult two = PodEnv({"--format", "patch"}, "two.yaml");
  EXPECT_THAT(usage(two), HasSubstr("two.yaml holds 2 pods or workloads"));
  EXPECT_THAT(two.out, IsEmpty());
  EXPECT_EQ(ParsedJson(PodEnv({}, "two.yaml").out)["objects"].Size(), 2U);
}

TEST_F(PodEnvCommand, WhatCannotBeUsedIsNamed) {
  EXPECT_EQ(PodEnv({}, "missing.yaml").exit, 11);
  const ProcessResult kind = PodEnv({}, "proxy.env");
  EXPECT_EQ(kind.exit, 11);
  EXPECT_THAT(kind.err, HasSubstr(At("proxy.env")));
  Write("proxy.env", std::string("HTTP_PROXY=http://u:") + kPodPassword + "@p:port\n");
  const ProcessResult url = PodEnv({});
  EXPECT_STREQ(ParsedJson(url.out)["error"]["code"].GetString(), "proxy-url");
  EXPECT_THAT(url.out + url.err, Not(HasSubstr(kPodPassword)));
  Write("proxy.env", "HTTP_PROXY=\nNO_PROXY=\n");
  EXPECT_THAT(PodEnv({}).out, HasSubstr("pod-env-nothing"));
}

std::string NamesOf(const rapidjson::Value& list) {
  std::string out;
  for (const rapidjson::Value& item : list.GetArray()) out += std::string(item["name"].GetString()) + " ";
  return out;
}

std::string ValueOf(const rapidjson::Value& container, const std::string& name) {
  for (const rapidjson::Value& item : container["env"].GetArray()) {
    if (item["name"].GetString() == name) return item.HasMember("value") ? item["value"].GetString() : "elsewhere";
  }
  return "none";
}

TEST_F(PodEnvCommand, KubectlAppliesThePatches) {
  if (!HasKubectl()) GTEST_SKIP() << "NOT RUN: no kubectl";
  for (const char* type : {"strategic", "json"}) {
    const ProcessResult result = Patched(type);
    ASSERT_EQ(result.exit, 0) << type << result.err;
    const rapidjson::Document object = ParsedJson(result.out);
    const rapidjson::Value& spec = object["spec"]["template"]["spec"];
    EXPECT_EQ(NamesOf(spec["initContainers"]), "first second ") << "they run in their order";
    const rapidjson::Value& web = spec["containers"][0];
    EXPECT_EQ(web["env"].Size(), 7U);
    EXPECT_EQ(ValueOf(web, "https_proxy"), "http://p:2");
    EXPECT_EQ(ValueOf(web, "NO_PROXY"), "elsewhere");
    EXPECT_EQ(ValueOf(web, "no_proxy"), "a,.b");
    EXPECT_EQ(ValueOf(spec["initContainers"][0], "NO_PROXY"), "");
    EXPECT_EQ(spec["initContainers"][1]["env"].Size(), 6U);
    EXPECT_EQ(ValueOf(spec["initContainers"][1], "HTTP_PROXY"), std::string("http://u:") + kPodPassword + "@p:1");
    // Again: there is nothing left to add, and the patch that says so is taken, too.
    Write("pod.yaml", result.out);
    const ProcessResult again = Patched(type);
    EXPECT_EQ(again.exit, 0) << again.err;
    EXPECT_EQ(again.out, result.out);
    WriteDeployment();
  }
}

}  // namespace
}  // namespace prov
