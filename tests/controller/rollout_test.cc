#include "provisioner/controller/rollout.h"

#include <algorithm>
#include <set>
#include <utility>

#include "provisioner/base/json_reader.h"
#include "provisioner/fleet/approver.h"
#include "tests/controller/versioned_cluster.h"

namespace prov::controller {
namespace {

using fleet::NodeState;
using fleet::RolloutPhase;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const std::string kOld(64, 'a'), kNew(64, 'b');

// Nodes that do what a node of a fleet with --approval does, without the machine behind it.
class Rollouts : public source::KubeTest {
 protected:
  Rollouts() {
    request_.name_space = "egress";
    request_.identity = "one";
    request_.order.canaries = 2;
    request_.order.wave.number = 25;
    request_.order.soak_seconds = 10;
    request_.order.timeout_seconds = 600;
    request_.approval.trial_seconds = 60;
    request_.settings = "{}";
    for (int i = 0; i < 20; ++i) names_.push_back(fmt::format("win-{:02}", i));
    for (const std::string& name : names_) Tell(name, kOld);
    api_.on_wait = [this] {
      Check();
      for (const std::string& name : names_) Step(name);
    };
  }

  static std::string At(const std::string& name) { return VersionedCluster::NodePath(name); }
  std::string Annotation(const std::string& name, const char* key) const { return api_.NodeAnnotation(name, key); }
  NodeState StateOf(const std::string& name) const {
    auto out = fleet::ParseState(Annotation(name, "egress-provisioner/state"), name);
    EXPECT_TRUE(out);
    return out.value_or(NodeState());
  }
  void Tell(const std::string& name, const std::string& digest,
            const std::optional<fleet::NodeTrial>& trial = std::nullopt, const std::string& source = kNew) {
    NodeState state;
    state.digest = digest;
    state.approval =
        fleet::NodeApproval{.pending = digest == source ? std::nullopt : std::optional(source), .trial = trial};
    api_.PutNode(name, state, !dead_.contains(name));
  }
  void Step(const std::string& name) {
    if (dead_.contains(name) || !api_.objects.contains(At(name))) return;
    const std::string approved = Annotation(name, "egress-provisioner/approved");
    const NodeState state = StateOf(name);
    if (approved.empty() || state.digest == approved) return;
    const std::int64_t attempt = api_.ApprovedAttempt(name);
    const auto& trial = state.approval->trial;
    if (trial && trial->result == fleet::TrialResult::kTakenBack && trial->attempt >= attempt) return;
    if (approved == kNew && bad_.contains(name)) {
      Tell(name, *state.digest,
           fleet::NodeTrial{approved, fleet::TrialResult::kTakenBack, "the probe failed", attempt});
    } else {
      Tell(name, approved, fleet::NodeTrial{approved, fleet::TrialResult::kConfirmed, "", attempt});
    }
  }
  // No wave before the last one is confirmed: never more approved nodes without the settings than one wave has.
  void Check() {
    std::size_t open = 0, with = 0;
    for (const std::string& name : names_) {
      if (!api_.objects.contains(At(name)) || Annotation(name, "egress-provisioner/approved") != kNew) continue;
      ++(StateOf(name).digest == kNew ? with : open);
    }
    EXPECT_LE(open, with == 0 ? 2U : 5U);
    most_ = std::max(most_, open + with);
  }

  Result<RolloutView> Run() { return RunOf(kNew); }
  Result<RolloutView> RunOf(const std::string& digest) {
    const auto access = source::KubeAccess::Open(Request(), "", source::Nowhere());
    EXPECT_TRUE(access);
    request_.order.digest = digest;
    return RunRollout(request_, *access, api_.Ports(), [this](const RolloutView&) { ++steps_; });
  }
  Result<fleet::RolloutRecord> Hold(bool hold) {
    const auto access = source::KubeAccess::Open(Request(), "", source::Nowhere());
    EXPECT_TRUE(access);
    return hold ? HoldRollout("egress", *access, api_.Ports()) : ResumeRollout("egress", *access, api_.Ports());
  }
  std::size_t WithNew() const {
    return static_cast<std::size_t>(std::ranges::count_if(names_, [this](const std::string& name) {
      return api_.objects.contains(At(name)) && StateOf(name).digest == kNew;
    }));
  }
  fleet::ConfirmedSecret Secret() const {
    auto object = api_.At("/api/v1/namespaces/egress/secrets/confirmed");
    object["metadata"].AddMember("resourceVersion", "1", object.GetAllocator());
    rapidjson::StringBuffer out;
    rapidjson::Writer<rapidjson::StringBuffer> writer(out);
    object.Accept(writer);
    auto secret = fleet::ParseConfirmedSecret(out.GetString(), "test");
    EXPECT_TRUE(secret) << secret.error().message;
    return secret.value_or(fleet::ConfirmedSecret());
  }

  VersionedCluster api_;
  std::vector<std::string> names_;
  std::set<std::string> bad_, dead_;
  RolloutRequest request_;
  std::size_t most_ = 0;
  int steps_ = 0;
};

TEST_F(Rollouts, GoodSettingsReachAll) {
  const auto end = Run();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->record.progress.phase, RolloutPhase::kDone);
  EXPECT_EQ(WithNew(), 20U);
  EXPECT_EQ(end->record.progress.wave, 5U) << "two, and five times up to five";
  EXPECT_EQ(Secret().confirmed, "{}");
  EXPECT_EQ(Secret().next, std::nullopt);
}

TEST_F(Rollouts, SettingsThatFailStayWithTheCanaries) {
  bad_.insert(names_.begin(), names_.end());
  const auto end = Run();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->record.progress.phase, RolloutPhase::kFailed);
  EXPECT_THAT(end->record.progress.reason, AllOf(HasSubstr("win-00"), HasSubstr("the probe failed")));
  EXPECT_EQ(most_, 2U);
  EXPECT_EQ(WithNew(), 0U);
  EXPECT_EQ(Secret().confirmed, std::nullopt) << "nothing was confirmed";
  EXPECT_EQ(Secret().record->progress.phase, RolloutPhase::kFailed);
}

// As a person does who has mended the proxy, and not the settings.
TEST_F(Rollouts, TheSameSettingsAreTriedAgainInTheNextRollout) {
  bad_.insert(names_.begin(), names_.end());
  ASSERT_TRUE(Run());
  bad_.clear();
  const auto end = Run();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->record.progress.phase, RolloutPhase::kDone) << end->record.progress.reason;
  EXPECT_EQ(end->record.order.attempt, 2);
  EXPECT_EQ(WithNew(), 20U);
}

TEST_F(Rollouts, AttemptsGoOnWhereTheRecordWasLost) {
  bad_.insert(names_.begin(), names_.end());
  ASSERT_TRUE(Run());
  bad_.clear();
  api_.objects.erase("/api/v1/namespaces/egress/secrets/confirmed");
  const auto end = Run();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->record.progress.phase, RolloutPhase::kDone) << end->record.progress.reason;
}

// As in the night: hold, correct the source, roll out.
TEST_F(Rollouts, AHeldRolloutOfOtherSettingsMakesRoom) {
  api_.on_wait = [this, waits = 0]() mutable {
    if (api_.objects.contains("/api/v1/namespaces/egress/secrets/confirmed") && ++waits == 2) {
      EXPECT_TRUE(Hold(true));
    }
  };
  ASSERT_EQ(Run()->record.progress.phase, RolloutPhase::kHeld);
  const std::string corrected(64, 'c');
  EXPECT_EQ(RunOf(corrected).error().code, Code::kLock) << "who does not ask for it gets no room";
  request_.replaces = true;
  api_.on_wait = [this] {
    for (const std::string& name : names_) Step(name);
  };
  for (const std::string& name : names_) Tell(name, kOld, {}, corrected);
  const auto end = RunOf(corrected);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->record.order.digest, corrected);
  EXPECT_EQ(end->record.progress.phase, RolloutPhase::kDone) << end->record.progress.reason;
}

TEST_F(Rollouts, OtherOptionsThanThoseUnderWayAreRefused) {
  api_.on_wait = [this, waits = 0]() mutable {
    if (api_.objects.contains("/api/v1/namespaces/egress/secrets/confirmed") && ++waits == 2) {
      EXPECT_TRUE(Hold(true));
    }
  };
  ASSERT_TRUE(Run());
  request_.has_choices = true;
  EXPECT_EQ(Run()->record.progress.phase, RolloutPhase::kHeld) << "the same ones";
  request_.approval.probes = {"https://quay.io/"};
  EXPECT_EQ(Run().error().code, Code::kUsage);
}

TEST_F(Rollouts, ANodeThatIsDeletedMeanwhileStopsNothing) {
  api_.before_write = [&, writes = 0](const std::string& path) mutable {
    if (path.contains("/nodes/") && ++writes == 4) api_.objects.erase(path);
  };
  const auto end = Run();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->record.progress.phase, RolloutPhase::kFailed) << "a member of the wave is gone, and none may be";
  EXPECT_THAT(end->record.progress.failed, SizeIs(1));
}

TEST_F(Rollouts, WithoutNodesThatWaitThereIsNone) {
  for (const std::string& name : names_) api_.objects.erase(At(name));
  EXPECT_THAT(Run().error().message, HasSubstr("no Windows nodes"));
  EXPECT_FALSE(api_.objects.contains("/api/v1/namespaces/egress/secrets/confirmed"));
}

TEST_F(Rollouts, ANodeOutOfReachIsWaitedForUntilTheTimeOut) {
  dead_.insert("win-01");
  Tell("win-01", kOld);
  const auto end = Run();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->record.progress.phase, RolloutPhase::kDone) << "it was not ready before, so no wave has it";
  EXPECT_EQ(WithNew(), 19U);
  EXPECT_EQ(Annotation("win-01", "egress-provisioner/approved"), kNew) << "for when it returns";
}

// Whoever made the Secret first has the rollout.
TEST_F(Rollouts, WhatAnotherMadeMeanwhileCounts) {
  const std::string other(64, 'c');
  api_.before_write = [&](const std::string& path) {
    if (!path.ends_with("/secrets") || api_.objects.contains(path + "/confirmed")) return;
    fleet::ConfirmedSecret theirs;
    theirs.record.emplace();
    theirs.record->order.digest = other;
    api_.Put(path + "/confirmed", fleet::ConfirmedSecretDocument(theirs, "egress"));
  };
  EXPECT_EQ(Run().error().code, Code::kLock);
  EXPECT_EQ(most_, 0U);
  EXPECT_EQ(Secret().record->order.digest, other);
}

TEST_F(Rollouts, AnotherCoordinatorIsRefused) {
  int renewed = 0;
  const auto renew = [&] {
    api_.Put("/apis/coordination.k8s.io/v1/namespaces/egress/leases/egress-provisioner-rollout",
             fmt::format(R"({{"metadata":{{"name":"egress-provisioner-rollout"}},"spec":{{"holderIdentity":"two",)"
                         R"("leaseDurationSeconds":15,"renewTime":"{}"}}}})",
                         ++renewed));
  };
  renew();
  api_.on_wait = renew;
  EXPECT_EQ(Run().error().code, Code::kLock);
  EXPECT_EQ(WithNew(), 0U);
}

// Its first wave after the canaries takes longer than a Lease lasts.
TEST_F(Rollouts, TheLeaseIsRenewedWhileAWaveIsApproved) {
  std::int64_t renewed = 0, longest = 0;
  api_.before_write = [&](const std::string& path) {
    if (path.contains("/leases")) renewed = api_.now;
    if (!path.contains("/nodes/")) return;
    longest = std::max(longest, api_.now - renewed);
    api_.now += 4;
  };
  const auto end = Run();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->record.progress.phase, RolloutPhase::kDone);
  EXPECT_EQ(WithNew(), 20U);
  EXPECT_LT(longest, Leader::kLeaseSeconds - Leader::kRenewSeconds);
}

// Each list takes longer than the time after which the Lease is renewed.
TEST_F(Rollouts, ASlowApiServerIsNoReasonToStop) {
  api_.refuse = [&](const std::string& verb, const std::string& path) {
    if (verb == "get" && path == "/api/v1/nodes") api_.now += Leader::kRenewSeconds + 2;
    return 0;
  };
  const auto end = Run();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->record.progress.phase, RolloutPhase::kDone);
  EXPECT_EQ(WithNew(), 20U);
}

TEST_F(Rollouts, OneThatWasFrozenWritesNothingAnyMore) {
  int writes = 0;
  api_.before_write = [&](const std::string& path) {
    if (!path.contains("/nodes/") || ++writes != 4) return;
    api_.now += 60;
    api_.Put("/apis/coordination.k8s.io/v1/namespaces/egress/leases/egress-provisioner-rollout",
             R"({"metadata":{"name":"egress-provisioner-rollout"},"spec":{"holderIdentity":"two",)"
             R"("leaseDurationSeconds":15,"renewTime":"2027-01-15T08:00:00.000000Z"}})");
  };
  EXPECT_EQ(Run().error().code, Code::kLock);
  EXPECT_EQ(writes, 4) << "but for the one that was on its way";
}

TEST_F(Rollouts, WhoHoldsItStopsAWaveThatIsUnderWay) {
  request_.order.wave = {.number = 100, .is_percent = true};
  int writes = 0;
  api_.before_write = [&](const std::string& path) {
    if (!path.contains("/nodes/")) return;
    api_.now += 2;
    if (++writes != 6) return;
    const auto hold = Hold(true);
    EXPECT_TRUE(hold) << hold.error().message;
  };
  const auto held = Run();
  ASSERT_TRUE(held) << held.error().message;
  EXPECT_EQ(held->record.progress.phase, RolloutPhase::kHeld);
  EXPECT_LE(writes, 9);
}

TEST_F(Rollouts, ManyNodesAreListedLessOften) {
  for (const auto& [nodes, seconds] : {std::pair(20, 2), {200, 4}, {1000, 8}}) {
    for (int i = static_cast<int>(names_.size()); i < nodes; ++i) {
      names_.push_back(fmt::format("win-{:04}", i));
      Tell(names_.back(), kOld);
    }
    api_.objects.erase("/api/v1/namespaces/egress/secrets/confirmed");
    api_.on_wait = nullptr;  // nobody confirms
    request_.order.timeout_seconds = 100;
    request_.order.canaries = 1;
    std::int64_t last = 0, least = 1000, most = 0;
    const auto access = source::KubeAccess::Open(Request(), "", source::Nowhere());
    ASSERT_TRUE(access);
    request_.order.digest = kNew;
    const auto end = RunRollout(request_, *access, api_.Ports(), [&](const RolloutView&) {
      if (last != 0) {
        least = std::min(least, api_.now - last);
        most = std::max(most, api_.now - last);
      }
      last = api_.now;
    });
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(least, seconds) << nodes;
    EXPECT_EQ(most, seconds) << nodes;
  }
}

TEST_F(Rollouts, WhatAPersonHeldGoesOnWhenTheyLetIt) {
  int waits = 0;
  const auto nodes = api_.on_wait;
  api_.on_wait = [&] {
    nodes();
    if (!api_.objects.contains("/api/v1/namespaces/egress/secrets/confirmed") || ++waits != 4) return;
    const auto hold = Hold(true);
    EXPECT_TRUE(hold) << hold.error().message;
  };
  const auto held = Run();
  ASSERT_TRUE(held) << held.error().message;
  EXPECT_EQ(held->record.progress.phase, RolloutPhase::kHeld);
  const std::size_t with = WithNew();
  EXPECT_LT(with, 20U);
  EXPECT_EQ(Hold(true).error().code, Code::kNotFound) << "it is held already";
  EXPECT_TRUE(Hold(false));
  EXPECT_EQ(Run()->record.progress.phase, RolloutPhase::kDone);
  EXPECT_EQ(WithNew(), 20U);
}

// At each write, whatever it is about.
TEST_F(Rollouts, KilledAnywhereItGoesOn) {
  while (names_.size() > 8) {
    api_.objects.erase(At(names_.back()));
    names_.pop_back();
  }
  for (int at = 1;; ++at) {
    int writes = 0;
    for (const std::string& name : names_) {
      api_.objects.erase(At(name));
      Tell(name, kOld);
    }
    api_.objects.erase("/api/v1/namespaces/egress/secrets/confirmed");
    api_.refuse = [&](const std::string& verb, const std::string&) {
      return verb != "get" && ++writes >= at ? 403 : 0;
    };
    request_.identity = fmt::format("killed {}", at);
    const auto first = Run();
    api_.refuse = nullptr;
    if (first) break;  // it made fewer writes
    api_.now += 60;    // its Lease ends
    for (const std::string& name : names_) Step(name);
    request_.identity = fmt::format("after {}", at);
    const auto end = Run();
    ASSERT_TRUE(end) << at << ": " << end.error().message;
    EXPECT_EQ(end->record.progress.phase, RolloutPhase::kDone) << at;
    EXPECT_EQ(WithNew(), 8U) << at;
  }
}

}  // namespace
}  // namespace prov::controller
