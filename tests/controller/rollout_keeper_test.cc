#include "provisioner/controller/rollout_keeper.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "provisioner/egress/settings_digest.h"
#include "provisioner/fleet/approver.h"
#include "provisioner/node/settings.h"
#include "tests/controller/versioned_cluster.h"

namespace prov::controller {
namespace {

using fleet::RolloutPhase;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

fleet::RolloutRecord RecordOf(const std::string& digest, RolloutPhase phase) {
  fleet::RolloutRecord out;
  out.order.digest = digest;
  out.progress.phase = phase;
  return out;
}

TEST(RolloutDue, IsWhatTheSecretAndTheSourceSay) {
  struct Row {
    std::string source, confirmed;
    std::optional<fleet::RolloutRecord> record;
    RolloutDue due;
  };
  const std::vector<Row> rows = {
      {"a", "", std::nullopt, RolloutDue::kRun},
      {"a", "a", std::nullopt, RolloutDue::kNothing},
      {"b", "a", RecordOf("a", RolloutPhase::kDone), RolloutDue::kRun},
      {"a", "a", RecordOf("a", RolloutPhase::kDone), RolloutDue::kNothing},
      {"b", "a", RecordOf("b", RolloutPhase::kOpen), RolloutDue::kRun},
      {"c", "a", RecordOf("b", RolloutPhase::kOpen), RolloutDue::kSupersede},
      {"a", "a", RecordOf("b", RolloutPhase::kOpen), RolloutDue::kSupersede},  // the source was put back
      {"b", "a", RecordOf("b", RolloutPhase::kTakingBack), RolloutDue::kFinish},
      {"c", "a", RecordOf("b", RolloutPhase::kTakingBack), RolloutDue::kFinish},
      {"a", "a", RecordOf("b", RolloutPhase::kTakingBack), RolloutDue::kFinish},
      {"b", "a", RecordOf("b", RolloutPhase::kHeld), RolloutDue::kHeld},
      {"c", "a", RecordOf("b", RolloutPhase::kHeld), RolloutDue::kHeld},
      {"b", "a", RecordOf("b", RolloutPhase::kFailed), RolloutDue::kFailed},
      {"c", "a", RecordOf("b", RolloutPhase::kFailed), RolloutDue::kRun},
      {"a", "a", RecordOf("b", RolloutPhase::kFailed), RolloutDue::kNothing},
      {"a", "a", RecordOf("a", RolloutPhase::kFailed), RolloutDue::kNothing},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(DueOf(row.source, row.confirmed, row.record), row.due)
        << row.source << " " << row.confirmed << " "
        << (row.record ? fleet::NameOf(row.record->progress.phase) : std::string_view("no record"));
  }
}

RolloutSettings SettingsWith(const std::string& proxy) {
  node::Settings settings;
  settings.config.source = {"MachineConfig", "rendered-worker-1", "3.4.0"};
  settings.config.proxy_file = {"/etc/mco/proxy.env", true, "", 0, 0644};
  settings.config.http_proxy = Secret("http://" + proxy + ".example.test:3128");
  return {egress::SettingsDigest(settings.config), node::Derive(settings).value().json, {}};
}

constexpr char kSecretAt[] = "/api/v1/namespaces/egress/secrets/confirmed";

// Eight nodes that do what a node with --approval does, and one source that they and the controller follow.
class RolloutKeeping : public source::KubeTest {
 protected:
  RolloutKeeping() {
    for (int i = 0; i < 8; ++i) Put(fmt::format("win-{}", i), {.digest = first_.digest});
    api_.Put("/api/v1/namespaces/egress/configmaps/egress-provisioner-rollout",
             R"({"metadata":{"name":"egress-provisioner-rollout"},"data":{"canary":"2","wave":"3","soak":"10"}})");
    api_.on_wait = [this] {
      for (const auto& [name, node] : std::map(nodes_)) Step(name, node);
      Check();
      if (on_wait_) on_wait_();
    };
    source_ = first_;
  }

  struct Node {
    std::string digest, pending = {};
    std::optional<fleet::NodeTrial> trial = {};
  };

  std::string Approved(const std::string& name) const {
    return api_.NodeAnnotation(name, "egress-provisioner/approved");
  }
  void Put(const std::string& name, const Node& node) {
    nodes_[name] = node;
    fleet::NodeState state;
    state.digest = node.digest;
    state.approval = fleet::NodeApproval{.pending = node.pending.empty() ? std::nullopt : std::optional(node.pending),
                                         .trial = node.trial};
    api_.PutNode(name, state);
  }
  void Step(const std::string& name, const Node& node) {
    const std::string approved = Approved(name);
    if (node.digest == source_.digest) return;
    if (node.pending != source_.digest) return Put(name, {node.digest, source_.digest, node.trial});
    if (approved != source_.digest) return;
    const std::int64_t attempt = api_.ApprovedAttempt(name);
    if (node.trial && node.trial->result == fleet::TrialResult::kTakenBack && node.trial->attempt >= attempt) return;
    if (bad_ == approved) {
      Put(name,
          {node.digest, approved, fleet::NodeTrial{approved, fleet::TrialResult::kTakenBack, "no answer", attempt}});
    } else {
      Put(name, {approved, "", fleet::NodeTrial{approved, fleet::TrialResult::kConfirmed, "", attempt}});
    }
  }
  std::size_t With(const RolloutSettings& settings) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(nodes_, [&](const auto& one) { return one.second.digest == settings.digest; }));
  }
  // Never more nodes that are approved and not confirmed than one wave has.
  void Check() const {
    std::size_t open = 0;
    for (const auto& [name, node] : nodes_) open += Approved(name) != "" && Approved(name) != node.digest ? 1U : 0U;
    EXPECT_LE(open, 3U);
  }

  Result<void> Look(const std::string& identity = "one") {
    const auto access = source::KubeAccess::Open(Request(), "", source::Nowhere());
    EXPECT_TRUE(access);
    RolloutKeeper keeper(
        {.name_space = "egress",
         .identity = identity,
         .settings = [this]() -> Result<RolloutSettings> {
           if (unread_) return Fail(Code::kNetwork, "the source is not there", "source");
           return source_;
         }},
        api_.Ports(), [this](const RolloutView& view) {
          told_.push_back(fmt::format("{:.6} {} {}", view.record.order.digest,
                                      fleet::NameOf(view.record.progress.phase), view.record.progress.reason));
        });
    return keeper.Look(*access, [this] { return std::exchange(changed_, false); });
  }
  fleet::ConfirmedSecret Secret() const {
    auto object = api_.At(kSecretAt);
    object["metadata"].AddMember("resourceVersion", "1", object.GetAllocator());
    rapidjson::StringBuffer out;
    rapidjson::Writer<rapidjson::StringBuffer> writer(out);
    object.Accept(writer);
    auto secret = fleet::ParseConfirmedSecret(out.GetString(), "test");
    EXPECT_TRUE(secret) << secret.error().message;
    return secret.value_or(fleet::ConfirmedSecret());
  }

  const RolloutSettings first_ = SettingsWith("one"), second_ = SettingsWith("two"), third_ = SettingsWith("three");
  VersionedCluster api_;
  std::map<std::string, Node> nodes_;
  RolloutSettings source_;
  std::string bad_;  // a digest
  bool unread_ = false, changed_ = false;
  std::function<void()> on_wait_;
  std::vector<std::string> told_;
};

TEST_F(RolloutKeeping, NothingHappensWithoutTheConfigMap) {
  api_.objects.erase("/api/v1/namespaces/egress/configmaps/egress-provisioner-rollout");
  source_ = second_;
  ASSERT_TRUE(Look());
  EXPECT_THAT(api_.writes, IsEmpty());
}

TEST_F(RolloutKeeping, NewSettingsReachAllOnce) {
  ASSERT_TRUE(Look()) << "the first ones, which all nodes have already";
  EXPECT_EQ(Secret().confirmed, first_.json);
  source_ = second_;
  const auto looked = Look();
  ASSERT_TRUE(looked) << looked.error().message;
  EXPECT_EQ(With(second_), 8U);
  EXPECT_EQ(Secret().confirmed, second_.json);
  const std::size_t writes = api_.writes.size();
  ASSERT_TRUE(Look());
  EXPECT_THAT(api_.writes, SizeIs(writes)) << "nothing is due";
}

TEST_F(RolloutKeeping, AFailureWaitsForAPersonOrOtherSettings) {
  ASSERT_TRUE(Look());
  source_ = second_;
  bad_ = second_.digest;
  ASSERT_TRUE(Look());
  EXPECT_EQ(With(second_), 0U);
  EXPECT_EQ(Secret().record->progress.phase, RolloutPhase::kFailed);
  EXPECT_EQ(Secret().confirmed, first_.json);
  const std::size_t writes = api_.writes.size();
  told_.clear();
  ASSERT_TRUE(Look("another process"));
  EXPECT_THAT(api_.writes, SizeIs(writes));
  EXPECT_THAT(told_, Contains(AllOf(HasSubstr("failed"), HasSubstr("no answer"))));
  source_ = third_;
  ASSERT_TRUE(Look());
  EXPECT_EQ(With(third_), 8U);
}

TEST_F(RolloutKeeping, GoesOnWithOneThatWasKilled) {
  ASSERT_TRUE(Look());
  source_ = second_;
  on_wait_ = [&] { api_.stop = With(second_) == 2; };
  EXPECT_EQ(Look().error().code, Code::kInterrupted);
  api_.stop = false;
  on_wait_ = nullptr;
  EXPECT_EQ(Secret().record->progress.phase, RolloutPhase::kOpen);
  EXPECT_LT(With(second_), 8U);
  ASSERT_TRUE(Look("another process"));
  EXPECT_EQ(With(second_), 8U);
  EXPECT_EQ(Secret().record->order.attempt, 2) << "the same rollout: the first was that of the first settings";
}

TEST_F(RolloutKeeping, ASourceThatChangesEndsTheOpenOneFirst) {
  ASSERT_TRUE(Look());
  source_ = second_;
  std::size_t most = 0;
  on_wait_ = [&] {
    if (With(second_) == 2 && source_.digest == second_.digest) {
      source_ = third_;
      changed_ = true;
    }
    most = std::max(most, With(second_));
  };
  const auto looked = Look();
  ASSERT_TRUE(looked) << looked.error().message;
  EXPECT_EQ(most, 2U) << "no wave of what is superseded";
  EXPECT_EQ(With(third_), 8U);
  EXPECT_EQ(Secret().confirmed, third_.json);
  EXPECT_THAT(told_, Contains(AllOf(HasSubstr(second_.digest.substr(0, 6)), HasSubstr("failed the source has other"))));
}

// A person has put the source back, and the coordinator was killed meanwhile.
TEST_F(RolloutKeeping, EndsAnOpenOneWhoseSettingsAreGone) {
  ASSERT_TRUE(Look());
  source_ = second_;
  on_wait_ = [&] { api_.stop = With(second_) == 2; };
  EXPECT_FALSE(Look());
  api_.stop = false;
  on_wait_ = nullptr;
  source_ = first_;
  ASSERT_TRUE(Look("another process"));
  EXPECT_EQ(Secret().record->progress.phase, RolloutPhase::kFailed);
  EXPECT_EQ(Secret().record->order.digest, second_.digest);
  EXPECT_EQ(Secret().confirmed, first_.json);
  for (const auto& [name, node] : nodes_)
    EXPECT_TRUE(Approved(name) != second_.digest || node.digest == second_.digest);
}

TEST_F(RolloutKeeping, WhatAPersonHoldsIsLeft) {
  ASSERT_TRUE(Look());
  source_ = second_;
  const auto access = source::KubeAccess::Open(Request(), "", source::Nowhere());
  bool is_held = false;
  on_wait_ = [&] {
    if (With(second_) != 2 || std::exchange(is_held, true)) return;
    const auto held = HoldRollout("egress", *access, api_.Ports());
    EXPECT_TRUE(held) << held.error().message;
  };
  ASSERT_TRUE(Look());
  EXPECT_EQ(Secret().record->progress.phase, RolloutPhase::kHeld);
  const std::size_t writes = api_.writes.size();
  ASSERT_TRUE(Look());
  EXPECT_THAT(api_.writes, SizeIs(writes));
  EXPECT_THAT(told_.back(), HasSubstr("held"));
  ASSERT_TRUE(ResumeRollout("egress", *access, api_.Ports()));
  ASSERT_TRUE(Look());
  EXPECT_EQ(With(second_), 8U);
}

TEST_F(RolloutKeeping, WhatCantBeReadBeginsNothing) {
  source_ = second_;
  unread_ = true;
  EXPECT_EQ(Look().error().code, Code::kNetwork);
  unread_ = false;
  api_.Put("/api/v1/namespaces/egress/configmaps/egress-provisioner-rollout",
           R"({"metadata":{"name":"egress-provisioner-rollout"},"data":{"canaries":"2"}})");
  EXPECT_THAT(Look().error().where, HasSubstr("canaries"));
  api_.refuse = [](const std::string&, const std::string& path) { return path == kSecretAt ? 403 : 0; };
  EXPECT_FALSE(Look());
  EXPECT_THAT(api_.writes, IsEmpty());
}

}  // namespace
}  // namespace prov::controller
