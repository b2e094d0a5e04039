// What a rollout says to a node: an API server that is a function, a machine in memory.
#include "provisioner/fleet/approver.h"

#include <fmt/format.h>

#include "provisioner/base/base64.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/fleet/own_state.h"
#include "provisioner/fleet/rollout_record.h"
#include "provisioner/node/reconcile_once.h"
#include "tests/node/node_helpers.h"
#include "tests/support/kube_config_file.h"
#include "tests/support/scratch_folder.h"

namespace prov::fleet {
namespace {

using node::OtherSettings;
using node::SampleSettings;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

node::Settings ReadFrom(node::Settings settings) {
  settings.source_digest = egress::SettingsDigest(settings.config);
  return settings;
}

node::Approval SampleApproval() {
  return {.digest = ReadFrom(OtherSettings()).source_digest,
          .probes = {"https://a.example/", "http://b.example/health"},
          .images = {"registry.example.com/app:1"},
          .trial_seconds = 300,
          .attempt = 2};
}

// A Node with what a patch of a node without annotations makes of it.
std::string Patched(const std::string& patch) { return ParseJsonDocument(patch, "patch").value().Json(); }

std::string NodeWith(std::string_view approved, const std::optional<std::string>& rollout) {
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Key("annotations").BeginObject();
  json.Member(kApprovedAnnotation, approved);
  if (rollout) json.Member(kRolloutAnnotation, *rollout);
  return json.EndObject().EndObject().EndObject().Text();
}

TEST(Approval, IsReadAsTheCoordinatorWritesIt) {
  EXPECT_EQ(ReadApproval(Patched(ApprovalPatch(SampleApproval())), "Node win-1").value(), SampleApproval());
  EXPECT_EQ(ReadApproval(Patched(ApprovalPatch(std::nullopt)), "Node win-1").value(), std::nullopt);
  EXPECT_EQ(ReadApproval(R"({"metadata":{"name":"win-1"}})", "Node win-1").value(), std::nullopt);
  EXPECT_EQ(ReadApproval(NodeWith("", std::nullopt), "Node win-1").value(), std::nullopt);
}

TEST(Approval, IsRefusedWhereAPartOfItIsNotUnderstood) {
  const std::string digest(64, 'a');
  const auto good = [](std::string_view probes, std::string_view rest) {
    return fmt::format(R"({{"schema":1,"probes":[{}],"images":[],{}}})", probes, rest);
  };
  const std::string limits = R"("trialSeconds":300,"attempt":1)";
  ASSERT_TRUE(ReadApproval(NodeWith(digest, good("", limits)), "Node win-1"));
  struct Row {
    std::string approved;
    std::optional<std::string> rollout;
    Code code;
  };
  std::string many = R"("https://a.example/")";
  for (int i = 0; i < 20; ++i) many += R"(,"https://a.example/")";
  const std::vector<Row> rows = {
      {"abc", good("", limits), Code::kType},
      {std::string(64, 'A'), good("", limits), Code::kType},
      {digest, std::nullopt, Code::kType},
      {digest, "{", Code::kJson},
      {digest, "[]", Code::kType},
      {digest, R"({"probes":[],"images":[],"trialSeconds":300,"attempt":1})", Code::kType},
      {digest, R"({"schema":2,"probes":[],"images":[],"trialSeconds":300,"attempt":1})", Code::kVersion},
      {digest, R"({"schema":1,"images":[],"trialSeconds":300,"attempt":1})", Code::kType},
      {digest, good("", R"("trialSeconds":300,"attempt":1,"alsoCheck":"x")"), Code::kType},
      {digest, good("", R"("trialSeconds":9,"attempt":1)"), Code::kType},
      {digest, good("", R"("trialSeconds":3601,"attempt":1)"), Code::kType},
      {digest, good("", R"("trialSeconds":300,"attempt":0)"), Code::kType},
      {digest, good("", R"("trialSeconds":"300","attempt":1)"), Code::kType},
      {digest, good("7", limits), Code::kType},
      {digest, good(R"("ftp://a.example/")", limits), Code::kUsage},
      {digest, good(R"("https://user:secret@a.example/")", limits), Code::kUsage},
      {digest, good(many, limits), Code::kTooLarge},
      {digest, good("\"https://a.example/" + std::string(70000, 'x') + "\"", limits), Code::kTooLarge},
      {digest, R"({"schema":1,"probes":[],"images":["not an image"],"trialSeconds":300,"attempt":1})",
       Code::kImageReference},
  };
  for (const Row& row : rows) {
    const auto read = ReadApproval(NodeWith(row.approved, row.rollout), "Node win-1");
    ASSERT_FALSE(read) << row.rollout.value_or("none");
    EXPECT_EQ(read.error().code, row.code) << row.rollout.value_or("none") << ": " << read.error().message;
  }
}

std::string SecretWith(const std::vector<std::pair<std::string_view, std::string>>& data,
                       const std::optional<RolloutRecord>& record = std::nullopt) {
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Member("resourceVersion", "1").Key("annotations").BeginObject();
  if (record) json.Member(kRolloutRecordAnnotation, RolloutText(*record));
  json.EndObject().EndObject().Key("data").BeginObject();
  for (const auto& [key, text] : data) json.Member(key, EncodeBase64(text));
  return json.EndObject().EndObject().Text();
}

std::string ConfirmedText(const node::Settings& settings) { return node::Derive(settings).value().json; }

Result<std::optional<node::ConfirmedConfig>> ReadConfirmed(const std::string& object, const std::string& where) {
  return ConfirmedOf(PROV_TRY(ParseConfirmedSecret(object, where)));
}

TEST(Confirmed, ARecordThatSomebodyDamagedSaysHowToGoOn) {
  const auto read = ParseConfirmedSecret(
      R"({"metadata":{"resourceVersion":"1","annotations":{"egress-provisioner/rollout":"{\"schema\":1}"}}})",
      "Secret");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kType);
  EXPECT_THAT(read.error().message, HasSubstr("kubectl annotate secret confirmed egress-provisioner/rollout-"));
}

// A node compares the digest with its source's.
TEST(Confirmed, HasTheDigestOfTheSettingsThatItWasMadeOf) {
  node::Settings all = SampleSettings(std::nullopt);
  all.options.scope = reconcile::Scope::All();
  all.options.scope.hns = all.options.scope.registries = false;
  for (const node::Settings& settings : {SampleSettings(std::nullopt), all}) {
    const auto read = ReadConfirmed(SecretWith({{kConfirmedKey, ConfirmedText(settings)}}), "Secret");
    ASSERT_TRUE(read && *read) << read.error().message;
    EXPECT_EQ((*read)->digest, egress::SettingsDigest(settings.config));
    EXPECT_EQ((*read)->config.https_proxy->Reveal(), settings.config.https_proxy->Reveal());
  }
}

// The settings lack what no node imports; the record has the digest of their source.
TEST(Confirmed, HaveTheDigestOfTheirRollout) {
  RolloutRecord record;
  record.order.digest = std::string(64, 'b');
  record.order.previous = std::string(64, 'a');
  const std::string text = ConfirmedText(SampleSettings(std::nullopt));
  for (const RolloutPhase phase : {RolloutPhase::kOpen, RolloutPhase::kFailed, RolloutPhase::kDone}) {
    record.progress.phase = phase;
    const auto read = ReadConfirmed(SecretWith({{kConfirmedKey, text}}, record), "Secret");
    ASSERT_TRUE(read && *read) << read.error().message;
    EXPECT_EQ((*read)->digest, phase == RolloutPhase::kDone ? record.order.digest : record.order.previous);
  }
}

// Also after a rollout is done: the source may change before the next one begins.
TEST(Confirmed, AreWhatTheSecretHas) {
  EXPECT_TRUE(*ReadConfirmed(SecretWith({{kConfirmedKey, ConfirmedText(SampleSettings(std::nullopt))}}), "Secret"));
  EXPECT_FALSE(ReadConfirmed(SecretWith({}), "Secret")->has_value());
  EXPECT_FALSE(ReadConfirmed(R"({"metadata":{"resourceVersion":"1"}})", "Secret")->has_value());
  EXPECT_FALSE(ReadConfirmed(SecretWith({{kConfirmedKey, "{"}}), "Secret"));
  EXPECT_FALSE(ReadConfirmed(R"({"metadata":{"resourceVersion":"1"},"data":{"egress.json":"*"}})", "Secret"));
}

class Cluster : public node::NodeTest {
 protected:
  Cluster() {
    testing_support::WriteKubeConfig(At("config"));
    host_.waits_left = 1000;
    host_.web = [this](const net::FetchRequest& request) -> Result<net::FetchAnswer> {
      if (request.proxy_url && dead_proxy_) return Fail(Code::kNetwork, "the proxy is dead", request.url);
      net::FetchAnswer out;
      out.status = request.url.find("/secrets/") == std::string::npos ? status_ : secret_status_;
      out.body = request.url.find("/secrets/") == std::string::npos ? node_ : secret_;
      return out;
    };
  }
  std::string At(const std::string& name) const { return (scratch_.path() / name).string(); }
  ClusterApprover Make() { return {host_, node::ClusterNode{"win-1", At("config"), true}}; }

  testing_support::ScratchFolder scratch_;
  int status_ = 200, secret_status_ = 404;
  bool dead_proxy_ = false;
  std::string node_ = R"({"metadata":{"name":"win-1"}})";
  std::string secret_ = R"({"kind":"Status","details":{"name":"confirmed"},"message":"not found"})";
};

TEST_F(Cluster, IsAskedForTheOwnNode) {
  EXPECT_EQ(Make().Read().value(), std::nullopt);
  node_ = ApprovalPatch(SampleApproval());
  EXPECT_EQ(Make().Read().value(), SampleApproval());
  ASSERT_THAT(host_.fetches, SizeIs(2));
  EXPECT_EQ(host_.fetches[0].url, "https://api.example.test:6443/api/v1/nodes/win-1");
  EXPECT_THAT(host_.sent, IsEmpty());
  status_ = 403;
  EXPECT_EQ(Make().Read().error().code, Code::kNetwork);
}

TEST_F(Cluster, WithoutASecretNoSettingsAreConfirmed) {
  const auto none = Make().Confirmed();
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_EQ(*none, std::nullopt);
  EXPECT_EQ(host_.fetches.back().url,
            "https://api.example.test:6443/api/v1/namespaces/egress-provisioner/secrets/confirmed");
  secret_status_ = 200;
  secret_ = SecretWith({{kConfirmedKey, ConfirmedText(SampleSettings(std::nullopt))}});
  ASSERT_TRUE(Make().Confirmed().value());
  secret_status_ = 403;
  EXPECT_FALSE(Make().Confirmed()) << "that is not to say that there is none";
}

TEST_F(Cluster, IsReachedTheWayThatTheNewSettingsSay) {
  egress::EgressConfig config = OtherSettings().config;
  config.no_proxy = "localhost";
  ASSERT_TRUE(Make().Reach(config, 30));
  ASSERT_TRUE(host_.fetches.back().proxy_url);
  EXPECT_EQ(host_.fetches.back().proxy_url->Reveal(), "http://other.example.com:8080");
  EXPECT_THAT(host_.fetches.back().roots, SizeIs(1)) << "the kubeconfig's CA";
  config.no_proxy = ".example.test";
  ASSERT_TRUE(Make().Reach(config, 30));
  EXPECT_FALSE(host_.fetches.back().proxy_url);
}

TEST_F(Cluster, IsNotReachedThroughAProxyThatIsDead) {
  dead_proxy_ = true;
  egress::EgressConfig config = OtherSettings().config;
  config.no_proxy = "localhost";
  const auto reached = Make().Reach(config, 30);
  ASSERT_FALSE(reached);
  EXPECT_THAT(reached.error().message, HasSubstr("the proxy is dead"));
  EXPECT_THAT(host_.fetches, SizeIs(3)) << "each try";
}

TEST_F(Cluster, AnyAnswerOfTheApiServerIsOne) {
  const egress::EgressConfig config = OtherSettings().config;
  for (const int status : {200, 401, 403, 404}) {
    status_ = status;
    EXPECT_TRUE(Make().Reach(config, 30)) << status;
  }
  for (const int status : {407, 502, 503}) {
    status_ = status;
    const auto reached = Make().Reach(config, 30);
    ASSERT_FALSE(reached) << status;
    EXPECT_THAT(reached.error().message, HasSubstr(std::to_string(status)));
  }
}

TEST_F(Cluster, AProxyThatClientsReadDifferentlyIsNoWay) {
  egress::EgressConfig config = OtherSettings().config;
  config.https_proxy = Secret("http://proxy:notaport");
  EXPECT_FALSE(Make().Reach(config, 30));
  EXPECT_THAT(host_.fetches, IsEmpty());
}

// The whole way: a Node's annotation, a round, the state that is reported.
TEST_F(Cluster, ARoundGoesByTheAnnotation) {
  node::OpenNode n = node();
  ASSERT_TRUE(node::FirstBoot(n, ReadFrom(SampleSettings()), {node::SpecOf("payload"), true, {}}, {}));
  ClusterApprover approver = Make();
  OwnState own;
  const auto round = [&] {
    const auto done = node::RunRound(
        host_, [](const node::SettingsSpec&) -> Result<node::Settings> { return ReadFrom(OtherSettings()); },
        &approver);
    EXPECT_TRUE(done) << done.error().message;
    node::OpenNode open = node();
    return own.Look(open, "0.1.0").value();
  };
  const std::string old_digest = ReadFrom(SampleSettings()).source_digest;
  const std::string new_digest = ReadFrom(OtherSettings()).source_digest;
  NodeState state = round();
  EXPECT_EQ(state.digest, old_digest);
  EXPECT_EQ(state.approval, (NodeApproval{new_digest, std::nullopt}));
  node::Approval approval = SampleApproval();
  approval.images.clear();
  node_ = ApprovalPatch(approval);
  host_.answer = 503;
  state = round();
  EXPECT_FALSE(state.held);
  EXPECT_EQ(state.digest, old_digest);
  ASSERT_TRUE(state.approval && state.approval->trial);
  EXPECT_EQ(state.approval->trial->result, TrialResult::kTakenBack);
  EXPECT_THAT(state.approval->trial->reason, HasSubstr("503"));
  host_.answer = 200;
  EXPECT_EQ(round().approval->trial->result, TrialResult::kTakenBack);
  ++approval.attempt;
  node_ = ApprovalPatch(approval);
  state = round();
  EXPECT_EQ(state.digest, new_digest);
  EXPECT_EQ(state.approval,
            (NodeApproval{std::nullopt, NodeTrial{new_digest, TrialResult::kConfirmed, "", approval.attempt}}));
}

}  // namespace
}  // namespace prov::fleet
