#include "provisioner/controller/object_keeper.h"

#include <utility>

#include "provisioner/base/base64.h"
#include "provisioner/node/settings.h"
#include "tests/controller/versioned_cluster.h"

namespace prov::controller {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kOurs[] = "/api/v1/namespaces/machines/secrets/ours";
constexpr char kTheirs[] = "/api/v1/namespaces/machines/secrets/theirs";
constexpr char kMachineEvents[] = "POST /api/v1/namespaces/machines/events";

class Keeper : public source::KubeTest {
 protected:
  Keeper() {
    api_.Put(kOurs, R"({"metadata":{"name":"ours","labels":{"egress-provisioner/keeps":"user-data"}}})");
    api_.Put(kTheirs, R"({"metadata":{"name":"theirs"},"data":{"userData":")" + EncodeBase64("keys") + R"("}})");
  }

  Baker Bakes() {
    return [this](const BakeInput& input) -> Result<Baked> {
      ++baked_;
      if (fault_) return std::unexpected(*fault_);
      Baked out;
      out.data = {{"userData", source_ + " then " + input.foreign.value_or("nothing")}};
      out.digest = source_;
      out.findings = findings_;
      return out;
    };
  }
  Result<KeepRound> Keep(ObjectKeeper& keeper) {
    const auto access = source::KubeAccess::Open(Request(), "", source::Nowhere());
    EXPECT_TRUE(access);
    source::KubeClient client(*access, api_.Ports(), [] { return 0U; });
    return keeper.Keep(client);
  }
  Result<KeepRound> Keep() { return Keep(keeper_); }
  std::string UserData() const {
    const auto object = api_.At(kOurs);
    return object.HasMember("data") ? DecodeBase64(object["data"]["userData"].GetString()).value_or("?") : "";
  }
  fleet::NodeState State() const {
    auto state =
        fleet::ParseState(api_.At(kOurs)["metadata"]["annotations"]["egress-provisioner/state"].GetString(), "");
    EXPECT_TRUE(state);
    return state.value_or(fleet::NodeState());
  }

  VersionedCluster api_;
  KeepOrder order_{.object = source::SecretObject("machines", "ours"),
                   .append_to = source::SecretObject("machines", "theirs"),
                   .version = "1",
                   .host = "pod"};
  std::string source_ = "one";
  std::optional<Error> fault_;
  Findings findings_;
  int baked_ = 0;
  ObjectKeeper keeper_{order_, Bakes(), api_};
};

TEST_F(Keeper, WritesWhatDiffersAndNothingElse) {
  ASSERT_TRUE(Keep().value().wrote_data);
  EXPECT_EQ(UserData(), "one then keys");
  EXPECT_EQ(State().digest, "one");
  EXPECT_EQ(State().applied_at, api_.now);
  const std::size_t writes = api_.writes.size();
  for (int i = 0; i < 10; ++i) {
    api_.now += 60;
    const KeepRound round = Keep().value();
    EXPECT_FALSE(round.wrote_data || round.wrote_state);
  }
  EXPECT_THAT(api_.writes, SizeIs(writes));
  source_ = "two";
  EXPECT_TRUE(Keep().value().wrote_data);
  EXPECT_EQ(UserData(), "two then keys");
  api_.Put(kTheirs, R"({"metadata":{"name":"theirs"},"data":{"userData":")" + EncodeBase64("new keys") + R"("}})");
  EXPECT_TRUE(Keep().value().wrote_data);
  EXPECT_EQ(UserData(), "two then new keys");
  EXPECT_THAT(api_.writes, Contains(kMachineEvents).Times(3));
}

constexpr char kConfirmedAt[] = "/api/v1/namespaces/fleet/secrets/confirmed";

class KeeperWithApproval : public Keeper {
 protected:
  KeeperWithApproval() {
    order_.confirmed = source::SecretObject("fleet", "confirmed");
    settings_.source = {"MachineConfig", "rendered-worker-1", "3.4.0"};
    settings_.proxy_file = {"/etc/mco/proxy.env", true, "", 0, 0644};
    settings_.http_proxy = Secret("http://confirmed.example.test:3128");
  }
  // What the round took for the confirmed proxy; "none": there was none.
  std::string Confirmed() {
    std::string out = "not asked";
    ObjectKeeper keeper(
        order_,
        [&](const BakeInput& input) -> Result<Baked> {
          out = input.confirmed ? std::string(input.confirmed->config.http_proxy->Reveal()) : "none";
          Baked baked;
          baked.data = {{"userData", out}};
          baked.digest = out;
          return baked;
        },
        api_);
    const KeepRound round = Keep(keeper).value();
    failure_ = round.failure;
    return out;
  }
  void PutConfirmed() {
    node::Settings settings;
    settings.config = settings_;
    const std::string text = node::Derive(settings).value().json;
    api_.Put(kConfirmedAt,
             R"({"metadata":{"name":"confirmed"},"data":{"egress.json":")" + EncodeBase64(text) + R"("}})");
  }

  egress::EgressConfig settings_;
  std::optional<Error> failure_;
};

TEST_F(KeeperWithApproval, BakesWithWhatTheFleetHasConfirmed) {
  EXPECT_EQ(Confirmed(), "none") << "there was no rollout yet";
  api_.Put(kConfirmedAt, R"({"metadata":{"name":"confirmed"},"data":{"next.json":"e30="}})");
  EXPECT_EQ(Confirmed(), "none") << "the first one is not done";
  PutConfirmed();
  EXPECT_EQ(Confirmed(), "http://confirmed.example.test:3128");
  EXPECT_FALSE(failure_);
}

// A new machine must not get settings that nobody has proven, because a right or the server is missing.
TEST_F(KeeperWithApproval, KeepsWhatThereIsWhereTheConfirmedSettingsCantBeRead) {
  PutConfirmed();
  Confirmed();
  const std::string before = UserData();
  api_.refuse = [](const std::string&, const std::string& path) { return path == kConfirmedAt ? 403 : 0; };
  EXPECT_EQ(Confirmed(), "not asked");
  ASSERT_TRUE(failure_);
  EXPECT_THAT(failure_->where, HasSubstr("confirmed"));
  api_.refuse = nullptr;
  api_.Put(kConfirmedAt, R"({"metadata":{"name":"confirmed"},"data":{"egress.json":"e30="}})");
  EXPECT_EQ(Confirmed(), "not asked");
  ASSERT_TRUE(failure_) << "a damaged one";
  EXPECT_EQ(UserData(), before);
  EXPECT_TRUE(State().failure);
}

TEST_F(Keeper, PutsBackWhatOthersChanged) {
  Keep().value();
  api_.Put(kOurs, R"({"metadata":{"name":"ours","labels":{"egress-provisioner/keeps":"user-data"},)"
                  R"("annotations":{"egress-provisioner/state":"?"}},"data":{"userData":"eA==","more":"eA=="}})");
  EXPECT_TRUE(Keep().value().wrote_data);
  EXPECT_EQ(UserData(), "one then keys");
  EXPECT_FALSE(api_.At(kOurs)["data"].HasMember("more"));
}

// Manifests that are applied over somebody's Secret give it the label.
TEST_F(Keeper, LeavesDataThatNoControllerWrote) {
  api_.Put(kOurs, R"({"metadata":{"name":"ours","labels":{"egress-provisioner/keeps":"user-data"}},)"
                  R"("data":{"userData":"eA=="}})");
  const KeepRound round = Keep().value();
  ASSERT_TRUE(round.failure);
  EXPECT_EQ(round.failure->code, Code::kOwner);
  EXPECT_EQ(UserData(), "x");
  EXPECT_THAT(api_.writes, ElementsAre(kMachineEvents));
}

TEST_F(Keeper, TheStateSaysWhetherAControllerGoesOn) {
  Keep().value();
  EXPECT_FALSE(State().interval) << "one round alone";
  order_.interval = 300;
  ObjectKeeper goes_on(order_, Bakes(), api_);
  EXPECT_TRUE(Keep(goes_on).value().wrote_state);
  EXPECT_EQ(State().interval, 300);
}

TEST_F(Keeper, AnotherThatKeepsChangingTheObjectIsNamed) {
  const auto contested = Contains(::testing::Field(&Finding::code, "controller-contested"));
  order_.version = "2";
  ObjectKeeper other(order_, Bakes(), api_);  // the same data, and another state
  EXPECT_FALSE(Keep().value().overwritten);
  EXPECT_FALSE(Keep(other).value().overwritten) << "it had not written before";
  for (int i = 1; i < ObjectKeeper::kContested; ++i) {
    const KeepRound round = Keep().value();
    EXPECT_TRUE(round.overwritten);
    EXPECT_THAT(round.findings, Not(contested)) << "such as a mistake, or the former holder of the Lease";
    EXPECT_TRUE(Keep(other).value().overwritten);
  }
  EXPECT_THAT(Keep().value().findings, contested);
  EXPECT_FALSE(Keep().value().overwritten);
  Keep(other).value();
  api_.now += ObjectKeeper::kWordsSeconds + 1;
  const KeepRound later = Keep().value();
  EXPECT_TRUE(later.overwritten);
  EXPECT_THAT(later.findings, Not(contested));
  source_ = "two";
  EXPECT_FALSE(Keep().value().overwritten) << "a change of the source is nobody else's";
}

TEST_F(Keeper, TouchesNoSecretWithoutItsMark) {
  for (const char* labels : {R"({})", R"({"egress-provisioner/keeps":"pod-params"})"}) {
    api_.Put(kOurs,
             fmt::format(R"({{"metadata":{{"name":"ours","labels":{}}},"data":{{"userData":"eA=="}}}})", labels));
    const KeepRound round = Keep().value();
    ASSERT_TRUE(round.failure);
    EXPECT_EQ(round.failure->code, Code::kOwner);
    EXPECT_THAT(round.failure->message, HasSubstr("--keep-secret"));
    EXPECT_EQ(round.holds, KeptHolds::kForeign);
  }
  EXPECT_THAT(api_.writes, ElementsAre(kMachineEvents)) << "said once, and nothing is written into it";
  EXPECT_EQ(baked_, 0);
}

TEST_F(Keeper, ABrokenSourceLeavesTheSecretAndIsSaid) {
  Keep().value();
  fault_ = Error{Code::kNetwork, "the server is away", "kube:///worker"};
  api_.now += 60;
  const KeepRound round = Keep().value();
  EXPECT_EQ(round.failure->code, Code::kNetwork);
  EXPECT_FALSE(round.wrote_data);
  EXPECT_EQ(UserData(), "one then keys");
  EXPECT_EQ(State().digest, "one") << "what the Secret holds";
  EXPECT_EQ(State().failure->code, "network");
  EXPECT_THAT(State().failure->message, HasSubstr("the server is away"));
  const std::size_t writes = api_.writes.size();
  fault_->message = "the server is away for 9 s";
  Keep().value();
  EXPECT_THAT(api_.writes, SizeIs(writes)) << "the same in other words";
  fault_.reset();
  EXPECT_TRUE(Keep().value().wrote_state);
  EXPECT_FALSE(State().failure);
}

TEST_F(Keeper, TheOperatorsSecretMayBeMissingOrWrong) {
  Keep().value();
  for (const char* theirs : {R"({"metadata":{"name":"theirs"},"data":{}})",
                             R"({"metadata":{"name":"theirs","labels":{"egress-provisioner/keeps":"user-data"}}})"}) {
    api_.Put(kTheirs, theirs);
    EXPECT_EQ(Keep().value().failure->code, Code::kKind);
  }
  api_.objects.erase(kTheirs);
  EXPECT_EQ(Keep().value().failure->code, Code::kNotFound);
  EXPECT_EQ(UserData(), "one then keys");
}

// Whoever read the source earlier loses, so the Secret never goes back.
TEST_F(Keeper, OfTwoTheOneWithTheOlderSourceLoses) {
  ObjectKeeper other(order_, Bakes(), api_);
  bool first = true;
  api_.before_write = [&](const std::string& path) {
    if (path != kOurs || !std::exchange(first, false)) return;
    source_ = "two";
    EXPECT_TRUE(Keep(other).value().wrote_data);
  };
  const KeepRound round = Keep().value();
  EXPECT_TRUE(round.lost_race);
  EXPECT_FALSE(round.wrote_data);
  EXPECT_EQ(UserData(), "two then keys");
  EXPECT_FALSE(Keep().value().wrote_data);
}

TEST_F(Keeper, SaysEachHourThatTheSourceWasRead) {
  Keep().value();
  api_.now += ObjectKeeper::kHeartbeatSeconds;
  EXPECT_TRUE(Keep().value().wrote_state);
  EXPECT_EQ(State().read_at, api_.now);
  EXPECT_EQ(State().applied_at, api_.now - ObjectKeeper::kHeartbeatSeconds);
}

TEST_F(Keeper, ARefusedEventDelaysNothing) {
  api_.refuse = [](const std::string& verb, const std::string&) { return verb == "create" ? 403 : 0; };
  KeepRound round = Keep().value();
  EXPECT_TRUE(round.wrote_data);
  ASSERT_THAT(round.findings, SizeIs(1));
  EXPECT_EQ(round.findings.front().code, "controller-events");
  EXPECT_THAT(round.findings.front().message, HasSubstr("verbs [\"create\"]"));
  EXPECT_THAT(Keep().value().findings, SizeIs(1)) << "for who reports what is new";
  api_.refuse = {};
  source_ = "two";
  EXPECT_THAT(Keep().value().findings, IsEmpty());
}

TEST_F(Keeper, ARefusedWriteIsAFailureOfTheRound) {
  api_.refuse = [](const std::string& verb, const std::string&) { return verb == "patch" ? 403 : 0; };
  const KeepRound refused = Keep().value();
  ASSERT_TRUE(refused.failure);
  EXPECT_THAT(refused.failure->message, HasSubstr("verbs [\"patch\"]"));
  EXPECT_FALSE(refused.wrote_state);
}

// As of a Secret that is `immutable`: the annotation may be written.
TEST_F(Keeper, DataThatTheServerRefusesAreSaidInTheState) {
  Keep().value();
  source_ = "two";
  api_.refuse_body = [](const std::string& body) { return body.find("\"data\"") != std::string::npos ? 422 : 0; };
  const KeepRound round = Keep().value();
  ASSERT_TRUE(round.failure);
  EXPECT_EQ(round.failure->code, Code::kInvalidConfig);
  EXPECT_THAT(round.failure->message,
              AllOf(HasSubstr("refuses to patch this object, with status 422"), Not(HasSubstr("address"))));
  EXPECT_TRUE(round.wrote_state);
  EXPECT_FALSE(round.wrote_data);
  EXPECT_EQ(UserData(), "one then keys");
  EXPECT_EQ(State().digest, "one") << "what the Secret holds";
  EXPECT_EQ(State().failure->code, "invalid-config");
  EXPECT_THAT(api_.bodies.back(), HasSubstr("EgressUserDataFailed"));
  const std::size_t writes = api_.writes.size();
  Keep().value();
  EXPECT_THAT(api_.writes, SizeIs(writes + 1)) << "only the data are tried again";
  api_.refuse_body = {};
  EXPECT_TRUE(Keep().value().wrote_data);
  EXPECT_FALSE(State().failure);
}

// Without the uid, `kubectl describe` shows none.
TEST_F(Keeper, EventsNameTheObjectByItsUid) {
  api_.Put(kOurs, R"({"metadata":{"name":"ours","uid":"u-1","labels":{"egress-provisioner/keeps":"user-data"}}})");
  Keep().value();
  EXPECT_THAT(api_.bodies.back(), HasSubstr("\"uid\": \"u-1\""));
}

TEST_F(Keeper, FindingsOfWhatIsMadeArePassedOn) {
  AddWarning(findings_, "https-direct", "m");
  EXPECT_EQ(Keep().value().findings, findings_);
}

TEST_F(Keeper, NoPasswordAndNoScriptIsInTheState) {
  source_ = "s3cret";
  Keep().value();
  auto state = State();
  state.digest.reset();
  EXPECT_THAT(fleet::StateText(state), Not(HasSubstr("s3cret")));
  EXPECT_THAT(fleet::StateText(state), Not(HasSubstr("keys")));
}

TEST_F(Keeper, AnObjectThatIsMissingNamesWhatMakesIt) {
  api_.objects.erase(kOurs);
  const KeepRound round = Keep().value();
  ASSERT_TRUE(round.failure);
  EXPECT_EQ(round.failure->code, Code::kNotFound);
  EXPECT_THAT(round.failure->message, HasSubstr("not among the secrets of the namespace machines; make it with "
                                                "provisioner deploy --print --keep-secret"));
  EXPECT_EQ(MeaningOfFailure(KeptKind::kUserData, round.holds), "new machines do not become nodes until then");
  ASSERT_THAT(api_.writes, ElementsAre(kMachineEvents));
  EXPECT_THAT(api_.bodies.back(), AllOf(HasSubstr("EgressUserDataFailed"), HasSubstr("do not become nodes")));
  Keep().value();
  EXPECT_THAT(api_.writes, SizeIs(1)) << "said once";
}

TEST_F(Keeper, AnEmptySecretHasNoLastUserData) {
  fault_ = Error{Code::kNetwork, "the server is away", "kube:///worker"};
  const KeepRound round = Keep().value();
  EXPECT_EQ(round.holds, KeptHolds::kNothing);
  EXPECT_THAT(api_.bodies.back(), HasSubstr("new machines do not become nodes until then"));
}

constexpr char kMachineSets[] = "/apis/machine.openshift.io/v1beta1/namespaces/machines/machinesets";

// A MachineSet for Windows that names this Secret.
std::string SetNamed(const std::string& name, const std::string& secret = "ours") {
  return R"({"metadata":{"name":")" + name +
         R"(","uid":"u-2"},"spec":{"template":{"metadata":{"labels":{"machine.openshift.io/os-id":"Windows"}},)"
         R"("spec":{"providerSpec":{"value":{"userDataSecret":{"name":")" +
         secret + R"("}}}}}}})";
}

// Machines of a MachineSet are not made while the Secret that it names is missing.
TEST_F(Keeper, MachineSetsOfAMissingSecretAreNamedInEvents) {
  order_.machine_sets = true;
  ObjectKeeper keeper(order_, Bakes(), api_);
  api_.objects.erase(kOurs);
  api_.Put(kMachineSets, R"({"metadata":{},"items":[)" + SetNamed("win") + "]}");
  const KeepRound round = Keep(keeper).value();
  ASSERT_THAT(round.machine_sets, SizeIs(1));
  EXPECT_EQ(round.machine_sets.front().machine_set, "win");
  EXPECT_THAT(round.machine_sets.front().message, HasSubstr("which does not exist"));
  EXPECT_THAT(api_.bodies.back(), AllOf(HasSubstr("\"MachineSet\""), HasSubstr("\"u-2\""),
                                        HasSubstr("machine.openshift.io/v1beta1"), HasSubstr("EgressUserDataNotUsed")));
  const std::size_t writes = api_.writes.size();
  EXPECT_THAT(Keep(keeper).value().machine_sets, SizeIs(1));
  EXPECT_THAT(api_.writes, SizeIs(writes)) << "said once";
}

// Many MachineSets must not use up the events about the Secret, nor an event that was not sent count as said.
TEST_F(Keeper, EventsOfMachineSetsHaveABudgetOfTheirOwn) {
  order_.machine_sets = true;
  ObjectKeeper keeper(order_, Bakes(), api_);
  std::string sets = SetNamed("win-0");
  for (int i = 1; i < 7; ++i) sets += "," + SetNamed(fmt::format("win-{}", i));
  api_.Put(kMachineSets, R"({"metadata":{},"items":[)" + sets + "]}");
  fault_ = Error{Code::kNetwork, "the server is away", "kube:///worker"};
  EXPECT_THAT(Keep(keeper).value().machine_sets, SizeIs(7));
  EXPECT_THAT(api_.writes, Contains(kMachineEvents).Times(6)) << "one of the Secret, and five of MachineSets";
  fault_->message = "the server is away for 9 s";
  Keep(keeper).value();
  EXPECT_THAT(api_.writes, Contains(kMachineEvents).Times(6)) << "the same in other words";
  api_.now += 1200;
  Keep(keeper).value();
  EXPECT_THAT(api_.bodies, Contains(AllOf(HasSubstr("EgressUserDataNotUsed"), HasSubstr("win-6"))));
  fault_.reset();
  Keep(keeper).value();
  EXPECT_THAT(api_.bodies.back(), HasSubstr("EgressUserDataChanged"));
}

TEST_F(Keeper, AnEventThatDidNotArriveIsSentAgain) {
  api_.objects.erase(kOurs);
  api_.refuse = [](const std::string& verb, const std::string&) { return verb == "create" ? 403 : 0; };
  Keep().value();
  api_.refuse = {};
  const std::size_t writes = api_.writes.size();
  Keep().value();
  EXPECT_THAT(api_.writes, SizeIs(writes + 1));
  Keep().value();
  EXPECT_THAT(api_.writes, SizeIs(writes + 1)) << "said once";
}

// A right that only the look at MachineSets needs keeps no Machine from current user data.
TEST_F(Keeper, MachineSetsAreLookedAtLast) {
  order_.machine_sets = true;
  ObjectKeeper keeper(order_, Bakes(), api_);
  api_.refuse = [](const std::string&, const std::string& path) { return path.ends_with("machinesets") ? 403 : 0; };
  const KeepRound round = Keep(keeper).value();
  EXPECT_TRUE(round.wrote_data);
  EXPECT_FALSE(round.failure);
  ASSERT_TRUE(round.machine_sets_failure);
  EXPECT_THAT(round.machine_sets_failure->message, HasSubstr("machinesets"));
  EXPECT_EQ(UserData(), "one then keys");
}

constexpr char kParams[] = "/api/v1/namespaces/pods/configmaps/params";

// The ConfigMap of the pods' policy: the same rules, with texts in the place of bytes.
class ParamsKeeper : public Keeper {
 protected:
  ParamsKeeper() { Put(R"("data":{"trust-config-map":"user-ca","old":"x"})"); }
  void Put(const std::string& data, const std::string& mark = "pod-params") {
    api_.Put(kParams,
             fmt::format(R"({{"metadata":{{"name":"params","labels":{{"egress-provisioner/keeps":"{}"}}}},{}}})", mark,
                         data));
  }
  Result<KeepRound> KeepParams() { return Keep(params_); }

  KeptData seen_;
  ObjectKeeper params_{{.kind = KeptKind::kPodParams,
                        .object = source::ConfigMapObject("pods", "params"),
                        .version = "1",
                        .host = "pod"},
                       [this](const BakeInput& input) -> Result<Baked> {
                         seen_ = input.present;
                         if (fault_) return std::unexpected(*fault_);
                         Baked out;
                         out.data = {{"HTTP_PROXY", source_},
                                     {"trust-config-map", input.present.find("trust-config-map")->second}};
                         out.digest = source_;
                         return out;
                       },
                       api_};
};

TEST_F(ParamsKeeper, WritesTextsAndSaysSo) {
  ASSERT_TRUE(KeepParams().value().wrote_data);
  EXPECT_THAT(seen_, Contains(std::pair<const std::string, std::string>("trust-config-map", "user-ca")));
  const auto object = api_.At(kParams);
  EXPECT_STREQ(object["data"]["HTTP_PROXY"].GetString(), "one");
  EXPECT_STREQ(object["data"]["trust-config-map"].GetString(), "user-ca");
  EXPECT_FALSE(object["data"].HasMember("old")) << "the data is what is made of the source";
  EXPECT_THAT(object["metadata"]["annotations"]["egress-provisioner/state"].GetString(),
              HasSubstr("\"digest\":\"one\""));
  EXPECT_THAT(api_.writes, Contains("POST /api/v1/namespaces/pods/events"));
  EXPECT_THAT(api_.bodies.back(), HasSubstr("EgressPodParamsChanged"));
  EXPECT_THAT(api_.bodies.back(), HasSubstr("\"ConfigMap\""));
  EXPECT_FALSE(KeepParams().value().wrote_state);
}

TEST_F(ParamsKeeper, ABrokenSourceLeavesTheValues) {
  KeepParams().value();
  fault_ = Error{Code::kNetwork, "the server is away", "kube:///worker"};
  EXPECT_TRUE(KeepParams().value().failure);
  EXPECT_STREQ(api_.At(kParams)["data"]["HTTP_PROXY"].GetString(), "one");
  EXPECT_THAT(api_.bodies.back(), HasSubstr("new pods get the last values"));
}

TEST_F(ParamsKeeper, TouchesNoConfigMapWithoutItsMark) {
  Put(R"("data":{"HTTP_PROXY":"theirs"})", "user-data");
  const KeepRound round = KeepParams().value();
  ASSERT_TRUE(round.failure);
  EXPECT_EQ(round.failure->code, Code::kOwner);
  EXPECT_THAT(round.failure->message, HasSubstr("--format admission-policy"));
  EXPECT_THAT(api_.writes, ElementsAre("POST /api/v1/namespaces/pods/events"));
  EXPECT_THAT(api_.bodies.back(), HasSubstr("it stays as it is"));
}

}  // namespace
}  // namespace prov::controller
