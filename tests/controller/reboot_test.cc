#include "provisioner/controller/reboot.h"

#include <algorithm>
#include <set>
#include <utility>

#include "provisioner/base/json_reader.h"
#include "provisioner/fleet/operator_reboot.h"
#include "provisioner/fleet/rollout_record.h"
#include "tests/controller/versioned_cluster.h"

namespace prov::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kRecord = "/api/v1/namespaces/egress/secrets/confirmed";

// Ends a coordinator as a kill does.
struct Killed {};

// Nodes that restart when their Node says so, each with a pod of a ReplicaSet, one of a DaemonSet, and a finished one.
class Reboots : public source::KubeTest {
 protected:
  Reboots() {
    request_.name_space = "egress";
    request_.identity = "one";
    request_.order = {.wave = 1, .timeout_seconds = 600};
    for (const char* name : {"win-0", "win-1", "win-2"}) AddNode(name);
    api_.on_wait = [this] { Go(); };
    api_.refuse = [this](const std::string& verb, const std::string& path) { return Evicted(verb, path); };
  }

  static std::string At(const std::string& name) { return VersionedCluster::NodePath(name); }
  static std::string PodAt(const std::string& name) { return "/api/v1/namespaces/shop/pods/" + name; }

  void AddNode(const std::string& name) {
    boots_[name] = 1;
    api_.Put(At(name), R"({"metadata":{"name":")" + name + R"(","annotations":{}},"spec":{"podCIDR":"10.0.0.0/24"},)" +
                           R"("status":{"conditions":[{"type":"Ready","status":"True"}]}})");
    Tell(name, true);
    AddPod(name + "-web", name, "ReplicaSet");
    AddPod(name + "-agent", name, "DaemonSet");
    AddPod(name + "-job", name, "Job", "Succeeded");
  }
  void AddPod(const std::string& pod, const std::string& node, const std::string& owner,
              const std::string& phase = "Running") {
    const std::string owners =
        owner.empty() ? "" : fmt::format(R"("ownerReferences":[{{"kind":"{}","controller":true}}],)", owner);
    api_.Put(PodAt(pod), fmt::format(R"({{"metadata":{{"name":"{0}","namespace":"shop",{1}"uid":"uid-{0}"}},)"
                                     R"("spec":{{"nodeName":"{2}"}},"status":{{"phase":"{3}"}}}})",
                                     pod, owners, node, phase));
  }
  void Tell(const std::string& name, bool waits) {
    fleet::NodeState state;
    state.reboot_required = waits;
    state.drain = node::DrainWish{fmt::format("boot-{}", boots_[name]), waits};
    Annotate(name, fleet::kStateAnnotation, fleet::StateText(state));
  }
  void Annotate(const std::string& name, std::string_view key, const std::string& value) {
    Change(name, [&](rapidjson::Document& node) {
      auto& annotations = node["metadata"]["annotations"];
      annotations.RemoveMember(std::string(key).c_str());
      annotations.AddMember(rapidjson::Value(std::string(key).c_str(), node.GetAllocator()),
                            rapidjson::Value(value.c_str(), node.GetAllocator()), node.GetAllocator());
    });
  }
  void Cordon(const std::string& name) {
    Change(name, [](rapidjson::Document& node) { node["spec"].AddMember("unschedulable", true, node.GetAllocator()); });
  }
  void Change(const std::string& name, const std::function<void(rapidjson::Document&)>& change) {
    rapidjson::Document node = api_.At(At(name));
    change(node);
    rapidjson::StringBuffer out;
    rapidjson::Writer<rapidjson::StringBuffer> writer(out);
    node.Accept(writer);
    api_.Put(At(name), out.GetString());
  }
  bool IsCordoned(const std::string& name) const { return api_.At(At(name))["spec"].HasMember("unschedulable"); }
  std::string Approved(const std::string& name) const {
    return api_.NodeAnnotation(name, "egress-provisioner/reboot-approved");
  }
  std::string TurnOf(const std::string& name) const {
    return api_.NodeAnnotation(name, "egress-provisioner/reboot-turn");
  }

  // What the API server says of an eviction; the pod is gone when nothing keeps it.
  int Evicted(const std::string& verb, const std::string& path) {
    if (verb == "get" || !path.ends_with("/eviction")) return 0;
    const std::string pod = path.substr(0, path.rfind('/'));
    asked_.push_back(pod.substr(pod.rfind('/') + 1));
    if (eviction_ == 0) leaving_.insert(pod);
    return eviction_;
  }
  void Go() {
    for (const std::string& pod : leaving_) {
      api_.objects.erase(pod);
      api_.objects.erase(pod + "/eviction/" + pod.substr(pod.rfind('/') + 1));
    }
    leaving_.clear();
    std::size_t in_turn = 0;
    for (auto& [name, boot] : boots_) {
      if (!api_.objects.contains(At(name))) continue;
      if (!TurnOf(name).empty()) ++in_turn;
      if (dead_.contains(name) || Approved(name) != fmt::format("boot-{}", boot)) continue;
      EXPECT_FALSE(api_.objects.contains(PodAt(name + "-web"))) << "restarted before it was drained";
      EXPECT_TRUE(IsCordoned(name));
      order_.push_back(name);
      ++boot;
      Tell(name, false);
    }
    EXPECT_LE(in_turn, request_.order.wave);
  }

  Result<RebootView> Run() {
    const auto access = source::KubeAccess::Open(Request(), "", source::Nowhere());
    EXPECT_TRUE(access);
    return RunReboots(request_, *access, api_.Ports(), [this](const RebootView&) { ++steps_; });
  }
  void PutRollout(fleet::RolloutPhase phase, std::int64_t since = 0) {
    fleet::RolloutRecord record;
    record.order.digest = std::string(64, 'a');
    record.progress.phase = phase;
    record.progress.wave_since = since;
    JsonWriter json;
    json.BeginObject().Key("metadata").BeginObject().Member("name", "confirmed").Key("annotations").BeginObject();
    json.Member("egress-provisioner/rollout", fleet::RolloutText(record)).EndObject().EndObject();
    api_.Put(kRecord, json.EndObject().OneLine());
  }
  void ExpectNothingOfOurs() const {
    for (const auto& [name, boot] : boots_) {
      EXPECT_EQ(TurnOf(name) + Approved(name), "") << name;
      EXPECT_EQ(api_.At(At(name))["spec"]["podCIDR"].GetString(), std::string("10.0.0.0/24")) << name;
    }
  }

  VersionedCluster api_;
  std::map<std::string, int> boots_;
  std::set<std::string> dead_, leaving_;  // nodes; pods that end
  std::vector<std::string> order_;        // in which nodes restarted
  std::vector<std::string> asked_;        // pods whose eviction was asked for
  int eviction_ = 0;                      // a status, or 0
  RebootRequest request_;
  int steps_ = 0;
};

TEST_F(Reboots, NodesTakeTurns) {
  const auto end = Run();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_THAT(order_, ElementsAre("win-0", "win-1", "win-2"));
  EXPECT_THAT(end->progress.failed, IsEmpty());
  EXPECT_THAT(asked_, ElementsAre("win-0-web", "win-1-web", "win-2-web")) << "no other pods";
  ExpectNothingOfOurs();
  for (const auto& [name, boot] : boots_) EXPECT_FALSE(IsCordoned(name));
  const auto body = std::ranges::find_if(api_.bodies, [](const std::string& one) { return one.contains("Eviction"); });
  EXPECT_THAT(*body, HasSubstr(R"("preconditions":{"uid":"uid-win-0-web"})"));
}

TEST_F(Reboots, ANodeThatSomebodyElseCordonedStaysCordoned) {
  Cordon("win-1");
  ASSERT_TRUE(Run());
  EXPECT_EQ(order_.size(), 3U);
  EXPECT_TRUE(IsCordoned("win-1"));
  EXPECT_FALSE(IsCordoned("win-0"));
  ExpectNothingOfOurs();
}

TEST_F(Reboots, WhatABudgetRefusesIsAskedAgainUntilTheTimeIsOver) {
  eviction_ = 429;
  const auto end = Run();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_THAT(end->progress.failed.at("win-0"), HasSubstr("shop/win-0-web"));
  EXPECT_GT(asked_.size(), 100U) << "each step";
  EXPECT_EQ(std::set<std::string>(asked_.begin(), asked_.end()).size(), 1U) << "no other node was begun";
  EXPECT_THAT(order_, IsEmpty());
  EXPECT_TRUE(api_.objects.contains(PodAt("win-0-web")));
  EXPECT_FALSE(IsCordoned("win-0"));
  ExpectNothingOfOurs();
}

TEST_F(Reboots, OthersAnswersToAnEviction) {
  // A webhook; what admits requests, or a namespace that ends; an admission policy; more than one budget.
  for (const int status : {400, 403, 422, 500}) {
    eviction_ = status;
    const auto end = Run();
    ASSERT_TRUE(end) << status << end.error().message;
    EXPECT_TRUE(end->progress.failed.contains("win-0")) << status;
  }
  for (const int status : {404, 409}) {  // the pod is gone, or another has its name
    eviction_ = status;
    request_.order.timeout_seconds = 30;
    const auto end = Run();
    ASSERT_TRUE(end) << status << end.error().message;
    EXPECT_THAT(end->progress.failed.at("win-0"), HasSubstr("is still there")) << "a list shows it";
  }
  eviction_ = 403;
  api_.refusal = R"(pods "win-0-web" is forbidden: User "u" cannot create resource "pods/eviction" in API group "")";
  request_.order.timeout_seconds = 600;
  const auto end = Run();
  ASSERT_FALSE(end);
  EXPECT_THAT(end.error().message, HasSubstr(R"(resources ["pods/eviction"], verbs ["create"])"));
  EXPECT_THAT(end.error().message, HasSubstr("; win-0 may stay cordoned until it is run again"));
  EXPECT_TRUE(IsCordoned("win-0"));
  eviction_ = 0;
  ASSERT_TRUE(Run()) << "it goes on where the one without the right ended";
  EXPECT_EQ(order_.size(), 3U);
}

TEST_F(Reboots, PodsThatNothingMakesAgainStayWithoutForce) {
  AddPod("bare", "win-0", "");
  const auto end = Run();
  ASSERT_TRUE(end);
  EXPECT_THAT(end->progress.failed.at("win-0"), HasSubstr("shop/bare"));
  EXPECT_THAT(order_, ElementsAre("win-1", "win-2"));
  EXPECT_FALSE(IsCordoned("win-0"));
  request_.order.force = true;
  ASSERT_TRUE(Run());
  EXPECT_EQ(order_.back(), "win-0");
  ExpectNothingOfOurs();
}

TEST_F(Reboots, ANodeThatDoesNotReturnStaysCordonedAndIsTakenUpAgain) {
  dead_.insert("win-0");
  const auto end = Run();
  ASSERT_TRUE(end);
  EXPECT_THAT(end->progress.failed.at("win-0"), HasSubstr("did not come back"));
  EXPECT_TRUE(IsCordoned("win-0"));
  EXPECT_THAT(order_, IsEmpty()) << "no other was begun";
  dead_.clear();
  const auto next = Run();
  ASSERT_TRUE(next);
  EXPECT_THAT(next->progress.failed, IsEmpty());
  EXPECT_EQ(order_.size(), 3U);
  ExpectNothingOfOurs();
}

TEST_F(Reboots, KilledBeforeAnyWriteTheyGoOn) {
  request_.order.wave = 2;
  const VersionedCluster start = api_;
  for (std::size_t at = 1;; ++at) {
    api_.objects = start.objects;
    api_.versions = start.versions;
    for (auto& [name, boot] : boots_) boot = 1;
    order_.clear();
    leaving_.clear();
    std::size_t writes = 0;
    api_.before_write = [&](const std::string&) {
      if (++writes == at) throw Killed();
    };
    request_.identity = fmt::format("killed {}", at);
    bool killed = false;
    try {
      ASSERT_TRUE(Run());
    } catch (const Killed&) {
      killed = true;
    }
    api_.before_write = nullptr;
    if (!killed) {
      EXPECT_GT(at, 15U);
      break;
    }
    request_.identity = fmt::format("after {}", at);
    const auto end = Run();
    ASSERT_TRUE(end) << at << ": " << end.error().message;
    EXPECT_THAT(end->progress.failed, IsEmpty()) << at;
    EXPECT_THAT(std::set<std::string>(order_.begin(), order_.end()), testing::SizeIs(3)) << at;
    EXPECT_EQ(order_.size(), 3U) << at << ": each once";
    ExpectNothingOfOurs();
    for (const auto& [name, boot] : boots_) EXPECT_FALSE(IsCordoned(name)) << at;
  }
}

TEST_F(Reboots, AskedToStopTheyNameWhatStaysCordoned) {
  dead_.insert("win-0");
  api_.on_wait = [this] {
    Go();
    api_.stop = !Approved("win-0").empty();
  };
  const auto end = Run();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, Code::kInterrupted);
  EXPECT_THAT(end.error().message, HasSubstr("win-0 may stay cordoned until it is run again"));
  const auto lease = api_.At("/apis/coordination.k8s.io/v1/namespaces/egress/leases/egress-provisioner-reboot");
  EXPECT_EQ(lease["spec"]["holderIdentity"].GetString(), std::string()) << "it was given back";
}

TEST_F(Reboots, ASecondCoordinatorIsKeptOut) {
  dead_.insert("win-0");
  api_.on_wait = [this] {
    Go();
    api_.stop = !Approved("win-0").empty();
  };
  api_.before_write = [this](const std::string& path) {
    if (api_.stop && path.contains("/leases/")) throw Killed();
  };
  EXPECT_THROW((void)Run(), Killed);
  api_.stop = false;
  api_.before_write = nullptr;
  const std::string lease = "/apis/coordination.k8s.io/v1/namespaces/egress/leases/egress-provisioner-reboot";
  api_.on_wait = [this, lease] {
    api_.Put(lease,
             R"({"metadata":{},"spec":{"holderIdentity":"one","renewTime":")" + std::to_string(api_.now) + R"("}})");
  };
  request_.identity = "two";
  const std::size_t before = api_.writes.size();
  const auto second = Run();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kLock);
  EXPECT_EQ(api_.writes.size(), before);
}

TEST_F(Reboots, WhileSettingsAreRolledOutNoneIsBegun) {
  PutRollout(fleet::RolloutPhase::kOpen);
  const std::int64_t begin = api_.now;
  api_.on_wait = [&] {
    Go();
    if (api_.now - begin < 3000) {
      EXPECT_EQ(TurnOf("win-0"), "");
      PutRollout(fleet::RolloutPhase::kOpen, (api_.now - begin) / 300);  // it goes on
    } else {
      PutRollout(fleet::RolloutPhase::kDone);
    }
  };
  const auto end = Run();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(order_.size(), 3U);
}

TEST_F(Reboots, ARolloutThatNobodyRunsEndsIt) {
  PutRollout(fleet::RolloutPhase::kOpen);
  const std::int64_t begin = api_.now;
  const auto end = Run();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_TRUE(end->progress.blocked);
  EXPECT_GT(api_.now - begin, request_.order.timeout_seconds);
  EXPECT_THAT(order_, IsEmpty());
  ExpectNothingOfOurs();
}

TEST_F(Reboots, ADamagedMarkIsNamedAndLeft) {
  Annotate("win-1", fleet::kRebootTurnAnnotation, "yes");
  const auto end = Run();
  ASSERT_TRUE(end);
  EXPECT_THAT(end->progress.failed.at("win-1"), HasSubstr("damaged"));
  EXPECT_EQ(TurnOf("win-1"), "yes");
  EXPECT_THAT(order_, IsEmpty());
}

}  // namespace
}  // namespace prov::controller
