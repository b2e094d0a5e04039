// `pod-env --check` and `--restart` of a cluster with the admission policy: in this process, an API server that is a
// table of answers.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/json_text.h"
#include "tests/support/kube_config_file.h"
#include "tests/support/result.h"

namespace prov::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing_support::ParsedJson;

constexpr const char* kApps = "/apis/apps/v1";
constexpr const char* kAdmission = "/apis/admissionregistration.k8s.io/v1";

class PodRestart : public machine_commands::MachineCommands {
 protected:
  PodRestart() {
    testing_support::WriteKubeConfig(scratch_.At("config"));
    host_.web = [this](const net::FetchRequest& request) { return Answer(request); };
    host_.waits_left = 1000;
    for (const char* kind : {"deployments", "statefulsets", "daemonsets", "replicasets"}) Put(List(kApps, kind), {});
    Put("/apis/batch/v1/cronjobs", {});
    Put("/apis/batch/v1/jobs", {});
    Put("/api/v1/pods", {});
    Put("/api/v1/namespaces",
        {R"({"metadata":{"name":"n","labels":{"env":"prod"}}})",
         R"({"metadata":{"name":"kube-system","labels":{"env":"prod"}}})", R"({"metadata":{"name":"other"}})"});
    answers_[kAdmission] = R"({"kind":"APIResourceList","resources":[{"name":"mutatingadmissionpolicies"}]})";
    answers_[std::string(kAdmission) + "/mutatingadmissionpolicybindings/egress-provisioner-pods"] =
        R"({"spec":{"paramRef":{"namespace":"p","name":"q"},"matchResources":{"namespaceSelector":{"matchLabels":{"env":"prod"}}}}})";
    digest_ = PrintedDigest();
    PutDigest(digest_);
  }

  // As the policy's ConfigMap has it, which also has the source's password.
  std::string PrintedDigest(const std::vector<std::string>& more = {}) {
    const Command command = PodEnvCommand();
    std::vector<std::string> words = {source_, "--format=admission-policy", "--output=json"};
    words.insert(words.end(), more.begin(), more.end());
    const auto arguments = ParseArguments(command.spec, words);
    const auto printed = arguments ? command.run(*arguments, host_) : std::unexpected(arguments.error());
    EXPECT_TRUE(printed) << printed.error().message;
    return printed ? ParsedJson(printed->out)["items"][2]["data"]["digest"].GetString() : "";
  }

  static std::string List(const std::string& group, const std::string& kind) { return group + "/" + kind; }
  void Put(const std::string& path, const std::vector<std::string>& items) {
    const std::size_t slash = path.rfind('/');
    const std::string kind = path.substr(slash + 1) == "pods"          ? "PodList"
                             : path.substr(slash + 1) == "deployments" ? "DeploymentList"
                                                                       : "List";
    answers_[path] = fmt::format(R"({{"kind":"{}","metadata":{{}},"items":[{}]}})", kind, fmt::join(items, ","));
  }
  void PutDigest(const std::string& digest) {
    answers_["/api/v1/namespaces/p/configmaps/q"] =
        fmt::format(R"({{"kind":"ConfigMap","data":{{"digest":"{}"}}}})", digest);
  }

  static std::string Pod(const std::string& name, const std::string& digest, const std::string& owner_kind = "",
                         const std::string& owner = "", const std::string& name_space = "n",
                         const std::string& version = "") {
    return fmt::format(
        R"({{"metadata":{{"name":"{}","namespace":"{}","annotations":{{"egress-provisioner/pod-params":"{}"}},)"
        R"("ownerReferences":[{{"apiVersion":"{}","kind":"{}","name":"{}","controller":{}}}]}},"spec":{{"containers":)"
        R"([{{"name":"c"}}]}}}})",
        name, name_space, digest,
        !version.empty()      ? version
        : owner_kind == "Job" ? "batch/v1"
                              : "apps/v1",
        owner_kind, owner, owner.empty() ? "false" : "true");
  }
  void PutDeployment(const std::string& name, int updated) {
    const std::string deployment = fmt::format(
        R"({{"metadata":{{"name":"{}","namespace":"n","generation":2}},"spec":{{"replicas":2,"template":{{"spec":)"
        R"({{"containers":[{{"name":"c"}}]}}}}}},"status":{{"observedGeneration":2,"replicas":2,"updatedReplicas":{},)"
        R"("availableReplicas":2}}}})",
        name, updated);
    answers_[fmt::format("{}/namespaces/n/deployments/{}", kApps, name)] = deployment;
    Put(List(kApps, "deployments"), {deployment});
    Put(List(kApps, "replicasets"),
        {fmt::format(
            R"({{"metadata":{{"name":"{0}-1","namespace":"n","ownerReferences":[{{"apiVersion":"apps/v1","kind":"Deployment",)"
            R"("name":"{0}","controller":true}}]}}}})",
            name)});
  }

  Result<net::FetchAnswer> Answer(const net::FetchRequest& request) {
    const std::string path = request.url.substr(std::string("https://api.example.test:6443").size());
    if (host_.sent.size() > patches_) {
      patches_ = host_.sent.size();
      patched_.push_back(path);
      if (on_patch_) on_patch_();
    } else if (after_patch_ && patches_ > 0 && ++gets_after_patch_ == gets_before_) {
      after_patch_();
    }
    const auto found = answers_.find(path.substr(0, path.find('?')));
    net::FetchAnswer out;
    out.status = denied_.contains(path.substr(0, path.find('?'))) ? 403 : found == answers_.end() ? 404 : 200;
    out.body = found == answers_.end() ? R"({"kind":"Status","details":{"name":"x"}})" : found->second;
    return out;
  }

  // The report, with this exit code.
  rapidjson::Document Checked(int exit, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {source_, "--check", "--pod", "kube://", "--kubeconfig", scratch_.At("config")};
    words.insert(words.end(), more.begin(), more.end());
    const auto outcome = Run(PodEnvCommand, words);
    EXPECT_TRUE(outcome) << outcome.error().message;
    if (!outcome) return {};
    EXPECT_EQ(outcome->exit, exit) << outcome->out;
    return ParsedJson(outcome->out);
  }
  Error Refused(std::vector<std::string> more) {
    std::vector<std::string> words = {source_, "--pod", "kube://", "--kubeconfig", scratch_.At("config")};
    words.insert(words.end(), more.begin(), more.end());
    return ErrorIn(Run(PodEnvCommand, words));
  }
  // "KIND/NAME OUTDATED RESULT" of each workload.
  static std::vector<std::string> Workloads(const rapidjson::Document& document) {
    std::vector<std::string> out;
    for (const auto& one : document["workloads"].GetArray()) {
      out.push_back(fmt::format("{}/{} {} {}", one["kind"].GetString(), one["name"].GetString(),
                                one["outdatedPods"].GetInt(),
                                one["restart"].IsNull() ? "-" : one["restart"].GetString()));
    }
    return out;
  }

  std::map<std::string, std::string> answers_;
  std::set<std::string> denied_;
  std::string digest_;
  std::function<void()> on_patch_, after_patch_;
  std::size_t patches_ = 0;
  int gets_after_patch_ = 0, gets_before_ = 3;
  std::vector<std::string> patched_;
};

TEST_F(PodRestart, TheCheckNamesWorkloadsWithPodsOfFormerValues) {
  PutDeployment("web", 2);
  Put("/api/v1/pods", {Pod("a", "former", "ReplicaSet", "web-1"), Pod("b", digest_, "ReplicaSet", "web-1"),
                       Pod("c", "former", "", "", "other"), Pod("d", "former", "", "", "kube-system")});
  const rapidjson::Document report = Checked(4);
  EXPECT_THAT(Workloads(report), ElementsAre("Deployment/web 1 -"));
  EXPECT_EQ(report["outdated"].GetInt(), 1);
  EXPECT_EQ(report["lacking"].GetInt(), 0) << "the policy gives to new pods what the template lacks";
  EXPECT_THAT(patched_, IsEmpty());
}

TEST_F(PodRestart, WithoutThePolicyTemplatesCount) {
  answers_.erase(std::string(kAdmission) + "/mutatingadmissionpolicybindings/egress-provisioner-pods");
  PutDeployment("web", 2);
  Put("/api/v1/pods", {Pod("a", "former", "ReplicaSet", "web-1")});
  const rapidjson::Document report = Checked(4);
  EXPECT_EQ(report["lacking"].GetInt(), 1);
  EXPECT_THAT(Workloads(report), IsEmpty());
}

TEST_F(PodRestart, WhoMayNotSeeThePolicyStillGetsTheTemplates) {
  denied_.insert(std::string(kAdmission) + "/mutatingadmissionpolicybindings/egress-provisioner-pods");
  PutDeployment("web", 2);
  const rapidjson::Document report = Checked(4);
  EXPECT_EQ(report["lacking"].GetInt(), 1);
  EXPECT_THAT(testing_support::JsonOf(report["findings"]), HasSubstr("pod-policy-unread"));
  EXPECT_THAT(Refused({"--restart"}).message, HasSubstr("mutatingadmissionpolicybindings"));
}

TEST_F(PodRestart, ARestartRollsAndWaits) {
  PutDeployment("web", 2);
  Put("/api/v1/pods", {Pod("a", "former", "ReplicaSet", "web-1")});
  on_patch_ = [this] { PutDeployment("web", 0); };
  after_patch_ = [this] {
    PutDeployment("web", 2);
    Put("/api/v1/pods", {Pod("b", digest_, "ReplicaSet", "web-1")});
  };
  const std::int64_t before = host_.now;
  const rapidjson::Document report = Checked(0, {"--restart"});
  EXPECT_THAT(Workloads(report), ElementsAre("Deployment/web 1 done"));
  EXPECT_THAT(patched_, ElementsAre("/apis/apps/v1/namespaces/n/deployments/web"));
  ASSERT_THAT(host_.sent, SizeIs(1));
  EXPECT_THAT(host_.sent[0].body, HasSubstr("kubectl.kubernetes.io/restartedAt"));
  EXPECT_GT(host_.now, before) << "it waited";
  EXPECT_EQ(report["outdated"].GetInt(), 0);
}

TEST_F(PodRestart, WhatHasNoRolloutIsLeftToAPerson) {
  Put("/api/v1/pods", {Pod("bare", "former"), Pod("a", "former", "Job", "import")});
  const rapidjson::Document report = Checked(4, {"--restart"});
  EXPECT_THAT(Workloads(report), ElementsAre("Job/import 1 left", "Pod/bare 1 left"));
  EXPECT_THAT(report["workloads"][1]["message"].GetString(), HasSubstr("create it anew"));
  EXPECT_EQ(report["outdated"].GetInt(), 2);
  EXPECT_THAT(patched_, IsEmpty());
}

TEST_F(PodRestart, ARolloutThatDoesNotEndStopsTheRest) {
  PutDeployment("web", 2);
  on_patch_ = [this] { PutDeployment("web", 1); };
  answers_[std::string(kApps) + "/namespaces/n/statefulsets/zoo"] = "{}";
  Put("/api/v1/pods", {Pod("a", "former", "ReplicaSet", "web-1"), Pod("b", "former", "StatefulSet", "zoo")});
  const std::int64_t before = host_.now;
  const rapidjson::Document report = Checked(4, {"--restart", "--wait", "30"});
  EXPECT_THAT(Workloads(report), ElementsAre("Deployment/web 1 failed", "StatefulSet/zoo 1 not-reached"));
  EXPECT_THAT(report["workloads"][0]["message"].GetString(),
              HasSubstr("1 of 2 pods are new, and 2 are available after"));
  EXPECT_THAT(patched_, SizeIs(1));
  EXPECT_LT(host_.now - before, 60);
}

// One that says nothing of the new values: those behind it are rolled.
TEST_F(PodRestart, WhatCanNotBeReadOrIsBrokenKeepsNothingElseFromItsRestart) {
  PutDeployment("web", 2);
  const auto stateful = [](int ready) {
    return fmt::format(R"({{"metadata":{{"generation":1}},"spec":{{"replicas":2}},"status":{{"observedGeneration":1,)"
                       R"("replicas":2,"readyReplicas":{},"currentRevision":"a","updateRevision":"a"}}}})",
                       ready);
  };
  const std::string sets = std::string(kApps) + "/namespaces/n/statefulsets/";
  answers_[sets + "broken"] = stateful(1);
  answers_[sets + "denied"] = stateful(2);
  denied_.insert(sets + "denied");
  answers_[sets + "sound"] = stateful(2);
  const auto put_pods = [&](const std::string& web) {
    Put("/api/v1/pods", {Pod("a", web, "ReplicaSet", "web-1"), Pod("b", "former", "StatefulSet", "broken"),
                         Pod("c", "former", "StatefulSet", "denied"), Pod("d", "former", "StatefulSet", "gone"),
                         Pod("e", "former", "StatefulSet", "sound"),
                         Pod("f", "former", "StatefulSet", "other", "n", "apps.kruise.io/v1beta1")});
  };
  put_pods("former");
  on_patch_ = [&] { put_pods(digest_); };
  const rapidjson::Document report = Checked(4, {"--restart"});
  EXPECT_THAT(Workloads(report),
              ElementsAre("Deployment/web 1 done", "StatefulSet/broken 1 left", "StatefulSet/denied 1 failed",
                          "StatefulSet/gone 1 failed", "StatefulSet/other 1 left", "StatefulSet/sound 1 failed"));
  const auto message = [&](rapidjson::SizeType index) {
    return std::string(report["workloads"][index]["message"].GetString());
  };
  EXPECT_THAT(message(1), HasSubstr("it was not complete before: 2 of 2 pods are new, and 1 are available"));
  EXPECT_THAT(message(2), HasSubstr("statefulsets"));
  EXPECT_THAT(message(5), HasSubstr("its new pods lack")) << "it was rolled: this table makes no new ones of it";
  EXPECT_THAT(message(4), HasSubstr("a StatefulSet of apps.kruise.io is not known here"));
  EXPECT_STREQ(report["workloads"][4]["group"].GetString(), "apps.kruise.io");
  EXPECT_THAT(patched_, ElementsAre(HasSubstr("deployments/web"), HasSubstr("statefulsets/sound")));
}

// An API server that gives former values would do so to all of them; one workload may have an operator of its own.
TEST_F(PodRestart, TheSecondWhoseNewPodsLackTheValuesStopsTheRest) {
  PutDeployment("web", 2);
  const std::string stateful =
      R"({"metadata":{"generation":1},"spec":{"replicas":2},"status":{"observedGeneration":1,"replicas":2,)"
      R"("readyReplicas":2,"currentRevision":"a","updateRevision":"a"}})";
  for (const char* name : {"xen", "yak", "zoo"})
    answers_[std::string(kApps) + "/namespaces/n/statefulsets/" + name] = stateful;
  Put("/api/v1/pods", {Pod("a", "former", "ReplicaSet", "web-1"), Pod("b", "former", "StatefulSet", "xen"),
                       Pod("c", "former", "StatefulSet", "yak"), Pod("d", "former", "StatefulSet", "zoo")});
  const rapidjson::Document report = Checked(4, {"--restart"});
  EXPECT_THAT(Workloads(report), ElementsAre("Deployment/web 1 failed", "StatefulSet/xen 1 failed",
                                             "StatefulSet/yak 1 not-reached", "StatefulSet/zoo 1 not-reached"));
  EXPECT_THAT(report["workloads"][0]["message"].GetString(), HasSubstr("the API servers keep former parameters"));
  EXPECT_THAT(patched_, SizeIs(2));
}

// The report of what was rolled is not lost.
TEST_F(PodRestart, AServerThatIsLostAfterARolloutLosesNoReport) {
  PutDeployment("web", 2);
  Put("/api/v1/pods", {Pod("a", "former", "ReplicaSet", "web-1")});
  after_patch_ = [this] { denied_.insert("/api/v1/pods"); };
  gets_before_ = 2;
  const rapidjson::Document report = Checked(4, {"--restart"});
  EXPECT_THAT(Workloads(report), ElementsAre("Deployment/web 1 done"));
  EXPECT_THAT(testing_support::JsonOf(report["findings"]), HasSubstr("pod-policy-unread")) << "nobody could look";
}

TEST_F(PodRestart, WhatAReplicationControllerMakesIsRolledByOpenShift) {
  Put("/api/v1/pods", {Pod("a", "former", "ReplicationController", "shop-1", "n", "v1")});
  const rapidjson::Document report = Checked(4, {"--restart"});
  EXPECT_THAT(Workloads(report), ElementsAre("ReplicationController/shop-1 1 left"));
  EXPECT_THAT(report["workloads"][0]["message"].GetString(), HasSubstr("oc rollout latest"));
}

// What the cluster's policy trusts is known, and so is where its file is missing.
TEST_F(PodRestart, TheCheckNamesNamespacesWithoutTheBundle) {
  answers_["/api/v1/namespaces/p/configmaps/q"] =
      R"({"kind":"ConfigMap","data":{"digest":"x","trust-config-map":"user-ca","trust-key":"all.pem"}})";
  const auto has = [&](const std::string& name_space, const std::string& key) {
    Put("/api/v1/configmaps",
        {fmt::format(R"({{"metadata":{{"name":"user-ca","namespace":"{}"}},"data":{{"{}":"x"}}}})", name_space, key)});
  };
  has("other", "all.pem");
  const auto findings = [&](int exit = 0) { return testing_support::JsonOf(Checked(exit)["findings"]); };
  EXPECT_THAT(findings(), HasSubstr("pods of n, which have no ConfigMap"));
  EXPECT_THAT(findings(), ::testing::Not(HasSubstr("pod-env-trust")));
  has("n", "ca-bundle.crt");
  EXPECT_THAT(findings(), HasSubstr("pods of n, which have no ConfigMap")) << "of another key";
  has("n", "all.pem");
  EXPECT_THAT(findings(), ::testing::Not(HasSubstr("pod-trust-missing")));
  Put("/api/v1/pods",
      {R"({"metadata":{"name":"a","namespace":"n"},"spec":{"containers":[{"name":"c"}],"volumes":[{"name":"egress-trust"}]}})"});
  EXPECT_THAT(findings(4), HasSubstr("1 of the 1 pods of Pod n/a have a container that gets no certificates"));
  Put("/api/v1/pods", {});
  denied_.insert("/api/v1/configmaps");
  EXPECT_THAT(findings(), HasSubstr("could not be read"));
}

// Its new pods would be available, and verify no server.
TEST_F(PodRestart, NothingIsRolledWhereTheBundleIsMissing) {
  const std::string digest = PrintedDigest({"--trust=configmap/user-ca:all.pem"});
  answers_["/api/v1/namespaces/p/configmaps/q"] = fmt::format(
      R"({{"kind":"ConfigMap","data":{{"digest":"{}","trust-config-map":"user-ca","trust-key":"all.pem"}}}})", digest);
  Put("/api/v1/configmaps", {});
  PutDeployment("web", 2);
  Put("/api/v1/pods", {Pod("a", digest, "ReplicaSet", "web-1")});
  EXPECT_THAT(Workloads(Checked(4)), IsEmpty()) << "its pods are new, and lack the file";
  Put("/api/v1/pods", {Pod("a", "former", "ReplicaSet", "web-1")});
  const rapidjson::Document report = Checked(4, {"--restart"});
  EXPECT_THAT(Workloads(report), ElementsAre("Deployment/web 1 left"));
  EXPECT_THAT(report["workloads"][0]["message"].GetString(), HasSubstr("its namespace lacks the bundle"));
  denied_.insert("/api/v1/configmaps");
  EXPECT_EQ(Refused({"--check", "--restart"}).code, Code::kNetwork) << "new pods may need what nobody could see";
  EXPECT_THAT(patched_, IsEmpty());
}

// What no patch and no restart changes is shown, and is no difference.
TEST_F(PodRestart, VariablesOfOtherObjectsAreNamed) {
  const std::string path = std::string(kApps) + "/deployments";
  Put(path,
      {R"({"metadata":{"name":"web","namespace":"n"},"spec":{"template":{"spec":{"containers":[{"name":"c",)"
       R"("envFrom":[{"secretRef":{"name":"s"}}]}]}}}})",
       R"({"metadata":{"name":"other","namespace":"n"},"spec":{"template":{"spec":{"containers":[{"name":"c"}]}}}})"});
  const rapidjson::Document report = Checked(0);
  EXPECT_EQ(report["objects"].Size(), 0U) << "they lack nothing";
  const std::string findings = testing_support::JsonOf(report["findings"]);
  EXPECT_THAT(findings, AllOf(HasSubstr("pod-env-from"), HasSubstr("web"), ::testing::Not(HasSubstr("other"))));
}

TEST_F(PodRestart, NewPodsThatLackTheValuesTooAreAFailure) {
  PutDeployment("web", 2);
  Put("/api/v1/pods", {Pod("a", "former", "ReplicaSet", "web-1")});
  const rapidjson::Document report = Checked(4, {"--restart"});
  EXPECT_THAT(Workloads(report), ElementsAre("Deployment/web 1 failed"));
  EXPECT_THAT(report["workloads"][0]["message"].GetString(), HasSubstr("its new pods lack"));
}

TEST_F(PodRestart, NothingIsRolledWhileNewPodsWouldGetFormerValues) {
  PutDeployment("web", 2);
  Put("/api/v1/pods", {Pod("a", "former", "ReplicaSet", "web-1")});
  PutDigest("former");
  const rapidjson::Document report = Checked(4);
  EXPECT_THAT(testing_support::JsonOf(report["findings"]), HasSubstr("pod-params"));
  EXPECT_EQ(Refused({"--check", "--restart"}).code, Code::kInvalidConfig);
  answers_.erase("/api/v1/namespaces/p/configmaps/q");
  EXPECT_THAT(Refused({"--restart"}).message, HasSubstr("holds no values"));
  answers_.erase(std::string(kAdmission) + "/mutatingadmissionpolicybindings/egress-provisioner-pods");
  EXPECT_EQ(Refused({"--restart"}).code, Code::kNotFound);
  answers_.erase(kAdmission);
  const Error older = Refused({"--restart"});
  EXPECT_EQ(older.code, Code::kUnsupported);
  EXPECT_THAT(older.message, HasSubstr("1.36"));
  EXPECT_THAT(patched_, IsEmpty());
}

// The source may be in the same cluster, whose API server then says whether it knows the policy.
class PodPolicyOfACluster : public PodRestart {
 protected:
  PodPolicyOfACluster() {
    const std::string group = "/apis/machineconfiguration.openshift.io/v1";
    answers_[group + "/machineconfigpools/worker"] =
        R"({"metadata":{"name":"worker"},"status":{"configuration":{"name":"rendered-1"}}})";
    answers_[group + "/machineconfigs/rendered-1"] =
        R"({"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfig","metadata":{"name":"rendered-1"},)"
        R"("spec":{"config":{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/etc/mco/proxy.env",)"
        R"("contents":{"source":"data:,HTTP_PROXY%3Dhttp://p:1%0AHTTPS_PROXY%3Dhttp://p:1%0A"}}]}}}})";
  }
  Result<Outcome> PodEnv(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"kube:///worker", "--kubeconfig", scratch_.At("config")};
    words.insert(words.end(), more.begin(), more.end());
    return Run(PodEnvCommand, words);
  }
  // The severity of the finding about the server; -1: there is none.
  int AboutTheServer() {
    const auto printed = PodEnv({"--format", "admission-policy"});
    EXPECT_TRUE(printed) << printed.error().message;
    if (!printed) return -1;
    EXPECT_THAT(printed->out, HasSubstr("kind: MutatingAdmissionPolicy\n"));
    for (const Finding& finding : printed->findings) {
      if (finding.code == "pod-policy-server") return static_cast<int>(finding.severity);
    }
    return -1;
  }
};

TEST_F(PodPolicyOfACluster, AnOlderServerIsNamed) {
  EXPECT_EQ(AboutTheServer(), -1) << "it knows the policy";
  answers_[kAdmission] = R"({"kind":"APIResourceList","resources":[{"name":"validatingadmissionpolicies"}]})";
  EXPECT_EQ(AboutTheServer(), static_cast<int>(Severity::kWarning));
  denied_.insert(kAdmission);
  EXPECT_EQ(AboutTheServer(), static_cast<int>(Severity::kInfo)) << "it may not be asked";
}

TEST_F(PodPolicyOfACluster, ACheckNeedsNoSecondNameOfTheCluster) {
  Put("/api/v1/pods", {Pod("bare", "former")});
  const auto checked = Must(PodEnv({"--check"}));
  EXPECT_EQ(checked.exit, 4);
  EXPECT_THAT(Workloads(ParsedJson(checked.out)), ElementsAre("Pod/bare 1 -"));
}

}  // namespace
}  // namespace prov::cli
