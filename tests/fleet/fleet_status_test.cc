// What `fleet status` says of the Secrets with user data and of policies; of nodes see tests/e2e/kube_e2e.py.
#include "provisioner/fleet/fleet_status.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "provisioner/base/json_writer.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/fleet/kept_secrets.h"
#include "provisioner/node/source_reader.h"
#include "tests/source/kube_helpers.h"
#include "tests/support/memory_host.h"

namespace prov::fleet {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kSecrets = "/api/v1/secrets?labelSelector=egress-provisioner%2Fkeeps%3Duser-data&limit=500";
constexpr std::string_view kDeployments =
    "/apis/apps/v1/deployments?labelSelector=app.kubernetes.io%2Fname%3Degress-provisioner-controller&limit=100";

std::string ListOf(const std::string& items) { return R"({"kind":"List","metadata":{},"items":[)" + items + "]}"; }

class SecretsStatus : public source::KubeTest {
 protected:
  SecretsStatus() {
    host_.web = [this](const net::FetchRequest& request) -> Result<net::FetchAnswer> {
      const std::string path = source::FakeCluster::PathOf(request);
      asked_.push_back(path);
      const auto found = answers_.find(path);
      if (denied_.contains(path)) return source::FakeCluster::Answer(403, R"({"kind":"Status","code":403})");
      if (found != answers_.end()) return source::FakeCluster::Answer(200, found->second);
      return source::FakeCluster::Answer(
          404, R"({"kind":"Status","code":404,"details":{"name":")" + path.substr(path.rfind('/') + 1) + "\"}}");
    };
    answers_["/api/v1/nodes?labelSelector=kubernetes.io%2Fos%3Dwindows&limit=500"] = ListOf("");
    answers_[std::string(kSecrets)] = ListOf("");
    answers_[std::string(kDeployments)] = ListOf("");
    Roll("worker", "http://one.example.test:3128");
    state_.read_at = host_.now - 60;
    state_.digest = DigestOf("kube:///worker");
    state_.interval = 300;
  }

  // A pool with a config that has this proxy.
  void Roll(const std::string& pool, const std::string& proxy) {
    const std::string config = "rendered-" + pool;
    answers_[fmt::format("{}/{}", source::kPools, pool)] = source::Pool(config);
    answers_[fmt::format("{}/{}", source::kConfigs, config)] = fmt::format(
        R"({{"kind":"MachineConfig","apiVersion":"machineconfiguration.openshift.io/v1","metadata":{{"name":"{}"}},)"
        R"("spec":{{"config":{{"ignition":{{"version":"3.2.0"}},"storage":{{"files":[{{"path":)"
        R"("/etc/mco/proxy.env","contents":{{"source":"data:,HTTP_PROXY%3D{}%0AHTTPS_PROXY%3D{}%0A"}}}}]}}}}}}}})",
        config, proxy, proxy);
  }
  std::string DigestOf(const std::string& source) {
    source::SourceSpec spec = Cluster();
    spec.source = source;
    const auto content = node::ReadSource(host_, spec);
    EXPECT_TRUE(content) << content.error().message;
    return content ? egress::SettingsDigest(content->config) : "";
  }
  source::SourceSpec Cluster() {
    source::SourceSpec out;
    out.source = "kube://";
    out.kubeconfig = folder_.At("config");
    return out;
  }
  static std::string Secret(const std::string& name, const NodeState& state, const std::string& more = "") {
    JsonWriter json;
    json.BeginObject().Key("metadata").BeginObject().Member("name", name).Member("namespace", "machines");
    json.Key("labels").BeginObject().Member("egress-provisioner/keeps", "user-data").EndObject();
    json.Key("annotations").BeginObject().Member(kStateAnnotation, StateText(state)).EndObject();
    return json.EndObject().EndObject().Text() + more;
  }
  static std::string Deployment(const std::string& secret, const std::string& source = "kube:///worker") {
    return fmt::format(
        R"({{"metadata":{{"name":"c"}},"spec":{{"template":{{"spec":{{"containers":[{{"name":"controller","args":)"
        R"(["controller","--source={}","--secret={}","--platform=aws"]}}]}}}}}}}})",
        source, secret);
  }
  // None of its pods is available.
  static std::string IdleDeployment(const std::string& secret,
                                    const std::string& status = R"({"observedGeneration":1})") {
    std::string out = Deployment(secret);
    out.replace(out.find("{\"name\":\"c\"}"), 12, R"({"name":"c","namespace":"n"},"status":)" + status);
    return out;
  }
  void Put(const std::string& secrets, const std::string& deployments) {
    answers_[std::string(kSecrets)] = ListOf(secrets);
    answers_[std::string(kDeployments)] = ListOf(deployments);
  }
  FleetStatus Status() {
    StatusRequest request;
    request.cluster = request.wanted = Cluster();
    auto out = AwaitStatus(host_, request);
    EXPECT_TRUE(out) << out.error().message << out.error().where;
    return out.value_or(FleetStatus());
  }
  static std::vector<std::string> Codes(const FleetStatus& status) {
    std::vector<std::string> out;
    for (const Finding& one : status.findings) {
      if (one.code.starts_with("fleet-")) out.emplace_back(one.code);
    }
    return out;
  }

  testing_support::MemoryHost host_;
  std::map<std::string, std::string> answers_;
  std::set<std::string> denied_;
  std::vector<std::string> asked_;
  NodeState state_;
};

TEST_F(SecretsStatus, OneThatWasReadAMomentAgoIsCurrent) {
  Put(Secret("ours", state_), Deployment("machines/ours"));
  const FleetStatus status = Status();
  ASSERT_THAT(status.secrets, SizeIs(1));
  EXPECT_TRUE(status.secrets.front().current);
  EXPECT_THAT(Codes(status), IsEmpty());
  EXPECT_TRUE(status.IsCurrent());
}

// Without a controller nothing is current for long, whatever was written last.
TEST_F(SecretsStatus, OneOfWhichNobodySpeaksIsNotCurrent) {
  state_.read_at = host_.now - kSilentSeconds + 10;
  Put(Secret("ours", state_), Deployment("machines/ours"));
  EXPECT_TRUE(Status().IsCurrent());
  state_.read_at = host_.now - kSilentSeconds - 10;
  Put(Secret("ours", state_), Deployment("machines/ours"));
  const FleetStatus status = Status();
  EXPECT_FALSE(status.IsCurrent());
  ASSERT_THAT(Codes(status), ElementsAre("fleet-secret-silent"));
  EXPECT_THAT(status.findings.back().message, HasSubstr("no controller has said since 20"));
  EXPECT_EQ(status.findings.back().where, "Secret machines/ours");
  Put(Secret("ours", state_), "");
  EXPECT_FALSE(Status().IsCurrent()) << "its Deployment is gone, or can't be seen";
  state_.interval.reset();
  Put(Secret("ours", state_), Deployment("machines/ours"));
  EXPECT_FALSE(Status().IsCurrent()) << "its Deployment promises, whoever ran --once beside it";
  Put(Secret("ours", state_), "");
  const FleetStatus by_hand = Status();
  EXPECT_TRUE(by_hand.IsCurrent()) << "who runs --once does not promise to say so again";
  ASSERT_THAT(Codes(by_hand), ElementsAre("fleet-secret-silent"));
  EXPECT_EQ(by_hand.findings.back().severity, Severity::kInfo);
}

TEST_F(SecretsStatus, OneWhoseControllerDoesNotRunIsNotCurrent) {
  const auto with = [&](const std::string& status) {
    Put(Secret("ours", state_), IdleDeployment("machines/ours", status));
    return Status();
  };
  EXPECT_TRUE(with(R"({"observedGeneration":1,"availableReplicas":1})").IsCurrent());
  EXPECT_TRUE(with("{}").IsCurrent()) << "nothing looks after Deployments here";
  for (const char* none : {R"({"observedGeneration":1})", R"({"observedGeneration":1,"availableReplicas":0})"}) {
    const FleetStatus status = with(none);
    EXPECT_FALSE(status.IsCurrent());
    ASSERT_THAT(Codes(status), ElementsAre("fleet-secret-silent"));
    EXPECT_THAT(status.findings.back().message, HasSubstr("the pods of the Deployment n/c"));
  }
}

// Deleted, or without the label: the controller's Deployment says that it is to be there.
TEST_F(SecretsStatus, OneThatIsMissingIsNamed) {
  Put(Secret("ours", state_), Deployment("machines/ours") + "," + Deployment("machines/gone"));
  const FleetStatus status = Status();
  ASSERT_THAT(status.secrets, SizeIs(2));
  EXPECT_EQ(status.secrets.front().node.name, "gone");
  ASSERT_TRUE(status.secrets.front().node.damage);
  EXPECT_EQ(status.secrets.front().node.damage->code, Code::kNotFound);
  EXPECT_THAT(status.secrets.front().node.damage->message, HasSubstr("deploy --print --keep-secret"));
  EXPECT_FALSE(status.secrets.front().current);
  EXPECT_TRUE(status.secrets.back().current);
  EXPECT_FALSE(status.IsCurrent());
}

TEST_F(SecretsStatus, ArgsMayBeWrittenInTwoWords) {
  std::string by_hand = Deployment("machines/gone");
  by_hand.replace(by_hand.find("--secret="), 9, R"(--secret",")");
  Put("", by_hand + "," + R"({"spec":{"template":{"spec":{"containers":[{"args":["--secret"]},{"name":"x"}]}}}})");
  const FleetStatus status = Status();
  ASSERT_THAT(status.secrets, SizeIs(1));
  EXPECT_EQ(status.secrets.front().node.name, "gone");
}

TEST_F(SecretsStatus, ARefusedWriteIsNotCurrent) {
  state_.failure = NodeFailure{"invalid-config", "the API server refuses to patch this object"};
  Put(Secret("ours", state_), Deployment("machines/ours"));
  EXPECT_FALSE(Status().IsCurrent());
}

// With the wanted settings, if its controller follows them; else the controller says what is wrong.
TEST_F(SecretsStatus, ASecretOfAnotherPoolIsComparedByItsController) {
  NodeState windows = state_;
  windows.digest = "another";
  Put(Secret("a", state_) + "," + Secret("b", windows),
      Deployment("machines/a") + "," + Deployment("machines/b", "kube:///windows"));
  EXPECT_TRUE(Status().IsCurrent());
  Put(Secret("a", windows) + "," + Secret("b", state_),
      Deployment("machines/a") + "," + Deployment("machines/b", "kube:///windows"));
  const FleetStatus status = Status();
  EXPECT_FALSE(status.secrets.front().current);
  EXPECT_TRUE(status.secrets.back().current);
  Put(Secret("b", windows), "");
  EXPECT_TRUE(Status().IsCurrent()) << "whose source is not known";
}

// The nodes' settings are those of another cluster, so its Secrets are not compared with them.
TEST_F(SecretsStatus, SettingsOfAnotherClusterSayNothingOfASecret) {
  NodeState other = state_;
  other.digest = "another";
  Put(Secret("ours", other), Deployment("machines/ours"));
  StatusRequest request;
  request.cluster = request.wanted = Cluster();
  request.cluster.source = "kube://here/proxy";
  request.wanted.source = "kube://a%2Fb:6443%2Fx/worker";
  // That cluster's server has a prefix in its URLs.
  for (const auto& [path, answer] : std::map<std::string, std::string>(answers_)) answers_["/k8s" + path] = answer;
  auto status = AwaitStatus(host_, request);
  ASSERT_TRUE(status) << status.error().message << status.error().where;
  ASSERT_THAT(status->secrets, SizeIs(1));
  EXPECT_TRUE(status->secrets.front().current);
  request.wanted.source = "kube://here/worker";
  status = AwaitStatus(host_, request);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_FALSE(status->secrets.front().current) << "its own cluster's";
}

// A URL may be read by the controller alone, which says itself whether it could.
TEST_F(SecretsStatus, TheControllerComparesWhatOnlyItReads) {
  state_.digest = "another";
  Put(Secret("ours", state_), Deployment("machines/ours", "https://h.example.test/w.json"));
  EXPECT_TRUE(Status().IsCurrent());
  state_.digest.reset();
  Put(Secret("ours", state_), Deployment("machines/ours", "https://h.example.test/w.json"));
  EXPECT_FALSE(Status().IsCurrent()) << "nothing was written";
}

// Such is the usual account of a monitoring: it may list Deployments alone.
TEST_F(SecretsStatus, WithoutTheRightToListSecretsAnIdleControllerIsSeen) {
  denied_.insert(std::string(kSecrets));
  answers_[std::string(kDeployments)] = ListOf(Deployment("machines/ours"));
  FleetStatus status = Status();
  EXPECT_THAT(status.secrets, IsEmpty());
  EXPECT_TRUE(status.IsCurrent());
  ASSERT_THAT(Codes(status), ElementsAre("fleet-secrets"));
  EXPECT_EQ(status.findings.back().severity, Severity::kWarning) << "there is one, and it was not looked at";
  EXPECT_THAT(status.findings.back().message, AllOf(HasSubstr("machines/ours"), HasSubstr("verbs [\"list\"]")));
  answers_[std::string(kDeployments)] = ListOf(IdleDeployment("machines/ours"));
  status = Status();
  ASSERT_THAT(status.secrets, SizeIs(1));
  EXPECT_EQ(status.secrets.front().node.name, "ours");
  EXPECT_FALSE(status.IsCurrent());
  EXPECT_THAT(Codes(status), ElementsAre("fleet-secrets", "fleet-secret-silent"));
}

TEST_F(SecretsStatus, OfTwoDeploymentsTheOneThatRunsCounts) {
  const std::string runs = Deployment("machines/ours"), idle = IdleDeployment("machines/ours");
  for (const std::string& both : {runs + "," + idle, idle + "," + runs}) {
    Put(Secret("ours", state_), both);
    EXPECT_TRUE(Status().IsCurrent());
  }
}

// Few clusters have a controller, and few people such rights.
TEST_F(SecretsStatus, WithoutAnyRightItIsAnInfo) {
  denied_ = {std::string(kSecrets), std::string(kDeployments)};
  const FleetStatus status = Status();
  EXPECT_TRUE(status.IsCurrent());
  EXPECT_THAT(Codes(status), ElementsAre("fleet-secrets", "fleet-secrets"));
  for (const Finding& one : status.findings) EXPECT_NE(one.severity, Severity::kError);
}

// The policies that keep pods of the fleet from other Nodes than their own.
class PoliciesStatus : public SecretsStatus {
 protected:
  static constexpr std::string_view kGroup = "/apis/admissionregistration.k8s.io/v1";

  PoliciesStatus() {
    answers_[std::string(kGroup)] = R"({"resources":[{"name":"validatingadmissionpolicies"}]})";
    PutPolicies({"egress-provisioner-nodes", "egress-provisioner-events"});
  }
  void PutNode(const NodeState& state) {
    JsonWriter json;
    json.BeginObject().Key("metadata").BeginObject().Member("name", "win-1").Key("annotations").BeginObject();
    json.Member(kStateAnnotation, StateText(state)).EndObject().EndObject().EndObject();
    answers_["/api/v1/nodes?labelSelector=kubernetes.io%2Fos%3Dwindows&limit=500"] = ListOf(json.Text());
  }
  void PutPolicies(const std::vector<std::string>& names) {
    std::string policies, bindings;
    for (const std::string& name : names) {
      const std::string comma = policies.empty() ? "" : ",";
      policies += comma + fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name);
      bindings += comma + Binding(name, "Deny");
    }
    answers_[Path("policies")] = ListOf(policies);
    answers_[Path("policybindings")] = ListOf(bindings);
  }
  static std::string Binding(const std::string& policy, const std::string& action) {
    return fmt::format(R"({{"metadata":{{"name":"b"}},"spec":{{"policyName":"{}","validationActions":["{}"]}}}})",
                       policy, action);
  }
  static std::string Path(std::string_view kind) {
    return fmt::format("{}/validatingadmission{}?limit=100", kGroup, kind);
  }
  // "": there is none.
  std::string Warning() {
    const FleetStatus status = Status();
    for (const Finding& one : status.findings) {
      if (one.code == "fleet-policies" && one.severity == Severity::kWarning) return one.message;
    }
    return "";
  }
};

TEST_F(PoliciesStatus, ThoseThatTheNodesNeedAreLookedFor) {
  PutPolicies({});
  EXPECT_EQ(Warning(), "") << "no node reports";
  PutNode(state_);
  EXPECT_THAT(Warning(), AllOf(HasSubstr("egress-provisioner-nodes, egress-provisioner-events;"),
                               HasSubstr("apply the manifests of deploy again")));
  PutPolicies({"prod-egress-provisioner-nodes-blue", "prod-egress-provisioner-events-blue"});
  EXPECT_EQ(Warning(), "") << "an overlay may name them otherwise";
  state_.approval.emplace();
  state_.drain.emplace();
  PutNode(state_);
  EXPECT_THAT(Warning(), HasSubstr(": egress-provisioner-rollout, egress-provisioner-reboot;"));
}

TEST_F(PoliciesStatus, OneThatIsNotBoundDoesNotCount) {
  PutNode(state_);
  EXPECT_EQ(Warning(), "");
  const std::string bound = Binding("egress-provisioner-events", "Deny");
  answers_[Path("policybindings")] = ListOf(bound);
  EXPECT_THAT(Warning(), HasSubstr(": egress-provisioner-nodes;"));
  answers_[Path("policybindings")] = ListOf(bound + "," + Binding("egress-provisioner-nodes", "Audit"));
  EXPECT_THAT(Warning(), HasSubstr(": egress-provisioner-nodes;")) << "it only audits";
  PutPolicies({"egress-provisioner-nodes", "egress-provisioner-events"});
  answers_[Path("policies")] = ListOf(R"({"metadata":{"name":"egress-provisioner-nodes"}})");
  EXPECT_THAT(Warning(), HasSubstr(": egress-provisioner-events;")) << "its binding is left";
}

TEST_F(PoliciesStatus, WithoutTheRightToReadThemItIsAnInfo) {
  PutNode(state_);
  for (const char* kind : {"policies", "policybindings"}) {
    denied_ = {Path(kind)};
    const FleetStatus status = Status();
    ASSERT_THAT(Codes(status), ElementsAre("fleet-policies"));
    EXPECT_EQ(status.findings.back().severity, Severity::kInfo);
    EXPECT_THAT(status.findings.back().message, AllOf(HasSubstr("was not looked at"), HasSubstr("verbs [\"list\"]")));
  }
}

TEST_F(PoliciesStatus, AnOldServerKnowsNone) {
  PutNode(state_);
  answers_[std::string(kGroup)] = R"({"resources":[]})";
  EXPECT_THAT(Warning(), HasSubstr("older than Kubernetes 1.30"));
}

}  // namespace
}  // namespace prov::fleet
