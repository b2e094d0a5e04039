// The policies of pods as items: they are planned, set, watched and taken back like all others, while pods come and go.
#include <gmock/gmock.h>

#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/kind.h"
#include "provisioner/reconcile/observe.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/support/memory_network.h"
#include "tests/support/memory_programs.h"

namespace prov::reconcile {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::MemoryMachine;
using testing_support::MemoryNetwork;
using testing_support::MemoryPrograms;
using testing_support::PowerFailure;

constexpr char kOne[] = "00000000-0000-0000-0000-00000000000A";
constexpr char kTwo[] = "00000000-0000-0000-0000-00000000000B";
constexpr char kLater[] = "00000000-0000-0000-0000-00000000000C";
constexpr char kAcl[] = R"({"Type":"ACL","Settings":{"Action":"Allow"}})";
constexpr char kNat[] = R"({"Type":"OutBoundNAT","Settings":{"Exceptions":["10.0.0.0/16"]}})";
constexpr char kTheirs[] = R"({"Type":"L4WFPPROXY","Settings":{"Port":"8000","FilterTuple":{"Protocols":"6"}}})";
constexpr char kGiven[] = R"({"Type":"L4WFPPROXY","Settings":{"InboundProxyPort":"15003","OutboundProxyPort":"15001",)"
                          R"("UserSID":"S-1-5-32-556"}})";
constexpr char kOurs[] = R"({"Type":"L4WFPPROXY","Settings":{"InboundProxyPort":"15003","OutboundProxyPort":"15001",)"
                         R"("FilterTuple":{"Protocols":"6"},"UserSID":"S-1-5-32-556","InboundExceptions":{},)"
                         R"("OutboundExceptions":{}}})";

DesiredState HnsWanted(const std::string& pods = "all") {
  Findings findings;
  DesiredOptions options;
  options.scope = {false, false, false, false, false, true};
  options.hns = MakePodPolicies(kGiven, pods, "policy.json", findings).value();
  EXPECT_THAT(findings, IsEmpty());
  return MakeDesiredState(testing_support::SampleConfig(), options).value();
}

// The policy beside the sample's settings, in one run.
DesiredState EverythingWanted() {
  DesiredState out = Desired();
  out.scope.hns = true;
  out.hns = HnsWanted().hns;
  return out;
}

// Without line ends: the double writes JSON in its own form.
std::string Flat(std::string text) {
  std::erase_if(text, [](char c) { return c == '\n' || c == ' '; });
  return text;
}

class HnsKindTest : public testing::Test {
 protected:
  HnsKindTest() {
    PutWindows(memory_);
    memory_.network = &network_;
    memory_.programs = &programs_;
    network_.endpoints = {{kOne, {kAcl, kNat}}, {kTwo, {kAcl}}};
  }
  ~HnsKindTest() override { EXPECT_EQ(network_.open, 0U) << "handles are left open"; }

  std::string At(const std::string& id) { return Flat(network_.PoliciesOf(id)); }
  Ledger LedgerNow() {
    machine::Machine ports = memory_.Ports();
    return LoadLedger(ports.state).value();
  }
  std::vector<Drift> DriftNow() {
    machine::Machine ports = memory_.Ports();
    return StatusOf(ports)->drift;
  }
  std::size_t Modifications() const {
    const auto names = network_.CallNames();
    return static_cast<std::size_t>(std::ranges::count(names, "HcnModifyEndpoint"));
  }

  MemoryNetwork network_;
  MemoryPrograms programs_;
  MemoryMachine memory_;
};

TEST_F(HnsKindTest, EachPodGetsThePolicyOnceAndOthersPoliciesStay) {
  EXPECT_THAT(ChangesOf(MustApply(memory_, HnsWanted())),
              ElementsAre(std::string("create hns ") + kOne, std::string("create hns ") + kTwo));
  EXPECT_EQ(At(kOne), Flat(std::string(kAcl) + kNat + kOurs));
  EXPECT_EQ(At(kTwo), Flat(std::string(kAcl) + kOurs));
  EXPECT_EQ(Modifications(), 2U);
  memory_.log.clear();
  EXPECT_FALSE(MustApply(memory_, HnsWanted()).HasWork());
  EXPECT_THAT(memory_.log, IsEmpty());
  EXPECT_EQ(Modifications(), 2U);
  EXPECT_THAT(DriftNow(), IsEmpty());
}

TEST_F(HnsKindTest, EndpointsOfOtherNodesGetNone) {
  network_.remote = {kOne};
  EXPECT_THAT(ChangesOf(MustApply(memory_, HnsWanted())), ElementsAre(std::string("create hns ") + kTwo));
  EXPECT_EQ(At(kOne), Flat(std::string(kAcl) + kNat));
  EXPECT_EQ(LedgerNow().size(), 1U);
  EXPECT_FALSE(MustApply(memory_, HnsWanted()).HasWork());
}

TEST_F(HnsKindTest, SaysWhereTrafficGoes) {
  network_.endpoints[kTwo].push_back(kTheirs);
  const Plan plan = MustApply(memory_, HnsWanted());
  EXPECT_EQ(plan.changes[0].before, "");
  EXPECT_EQ(plan.changes[0].after, "in 15003, out 15001");
  EXPECT_EQ(plan.changes[1].before, "in and out 8000");
  EXPECT_EQ(plan.changes[1].was.at(0).value.Reveal(), R"([{"Port":"8000","FilterTuple":{"Protocols":"6"}}])");
  EXPECT_EQ(NameOf(plan.changes[1].action), "update");
}

TEST_F(HnsKindTest, PodsComeAndGo) {
  MustApply(memory_, HnsWanted());
  network_.endpoints.erase(kOne);
  network_.endpoints["00000000-0000-0000-0000-00000000000C"] = {};
  EXPECT_THAT(DriftNow(), IsEmpty()) << "a pod that ended is not missing";
  EXPECT_THAT(ChangesOf(MustApply(memory_, HnsWanted())),
              ElementsAre("create hns 00000000-0000-0000-0000-00000000000C"));
  EXPECT_EQ(LedgerNow().size(), 2U) << "what has gone is forgotten";
  EXPECT_FALSE(MustApply(memory_, HnsWanted()).HasWork());
}

TEST_F(HnsKindTest, DriftIsReportedAndHealed) {
  MustApply(memory_, HnsWanted());
  network_.endpoints[kOne] = {kAcl, kNat};
  network_.endpoints[kTwo] = {kTheirs};
  const auto drift = DriftNow();
  ASSERT_EQ(drift.size(), 2U);
  EXPECT_EQ(drift[0].name, kOne);
  EXPECT_TRUE(drift[0].missing);
  EXPECT_FALSE(drift[1].missing);
  const Plan plan = MustApply(memory_, HnsWanted());
  EXPECT_EQ(plan.changes[0].reason, "was removed since we set it");
  EXPECT_EQ(plan.changes[1].reason, "was changed since we set it");
  EXPECT_EQ(At(kTwo), Flat(kOurs));
  EXPECT_THAT(DriftNow(), IsEmpty());
}

TEST_F(HnsKindTest, WhatWasThereBeforeComesBack) {
  network_.endpoints[kTwo].push_back(kTheirs);
  MustApply(memory_, HnsWanted());
  MustApply(memory_, NothingDesired());
  EXPECT_EQ(At(kOne), Flat(std::string(kAcl) + kNat));
  EXPECT_EQ(At(kTwo), Flat(std::string(kAcl) + kTheirs));
  EXPECT_THAT(LedgerNow(), IsEmpty());
}

// Otherwise it would be drift for ever, and stay after a removal.
TEST_F(HnsKindTest, WhatIsWantedAgainAfterAChangeThatFailedIsOursAgain) {
  MustApply(memory_, HnsWanted());
  DesiredState other = HnsWanted();
  other.hns->settings = {R"({"OutboundProxyPort":"1","FilterTuple":{"Protocols":"6"}})"};
  network_.refused["Remove"] = {0x803B0015U, "", ""};
  EXPECT_THAT(MustApply(memory_, other).findings, Contains(Field(&Finding::code, "hns-endpoint")));
  network_.refused.clear();
  EXPECT_EQ(DriftNow().size(), 2U);
  const std::size_t before = Modifications();
  MustApply(memory_, HnsWanted());
  EXPECT_EQ(Modifications(), before) << "it is there still";
  EXPECT_THAT(DriftNow(), IsEmpty());
  EXPECT_FALSE(MustApply(memory_, HnsWanted()).HasWork());
  MustApply(memory_, NothingDesired());
  EXPECT_EQ(At(kOne), Flat(std::string(kAcl) + kNat));
}

TEST_F(HnsKindTest, WhatSomebodyChangedSinceStays) {
  MustApply(memory_, HnsWanted());
  network_.endpoints[kOne] = {kTheirs};
  EXPECT_THAT(ChangesOf(MustApply(memory_, NothingDesired())),
              ElementsAre(std::string("yield hns ") + kOne, std::string("delete hns ") + kTwo));
  EXPECT_EQ(At(kOne), Flat(kTheirs));
}

TEST_F(HnsKindTest, IsSetOnlyWhereAskedForAndTakenAwayAfterwards) {
  MustApply(memory_, Desired());
  EXPECT_THAT(network_.log, IsEmpty());
  MustApply(memory_, EverythingWanted());
  EXPECT_THAT(At(kTwo), HasSubstr("15001"));
  MustApply(memory_, Desired());
  EXPECT_EQ(At(kTwo), Flat(kAcl));
}

TEST_F(HnsKindTest, AScopeWithoutAPolicyTakesItAway) {
  MustApply(memory_, HnsWanted());
  DesiredOptions options;
  options.scope = {false, false, false, false, false, true};
  const DesiredState none = MakeDesiredState(testing_support::SampleConfig(), options).value();
  EXPECT_THAT(none.findings, Contains(Field(&Finding::code, "hns-no-policy")));
  EXPECT_TRUE(none.SetsNothing());
  MustApply(memory_, none);
  EXPECT_EQ(At(kTwo), Flat(kAcl));
}

TEST_F(HnsKindTest, OnlyPodsOfTheNamespaceHaveIt) {
  constexpr char kGuid[] = "AAAAAAAA-BBBB-CCCC-DDDD-000000000001";
  network_.namespaces[kGuid] = {kTwo};
  programs_.in_path["crictl"] = "crictl.exe";
  programs_.outputs["ps --all --output json --label io.kubernetes.pod.namespace=web"] = {
      0, R"({"containers":[{"id":"c1","podSandboxId":"p","labels":{"io.kubernetes.pod.namespace":"web"}}]})", ""};
  programs_.outputs["inspect --output json c1"] = {
      0,
      R"({"status":{"id":"c1"},"info":{"runtimeSpec":{"windows":{"network":{"networkNamespace":")" +
          std::string(kGuid) + R"("}}}}})",
      ""};
  MustApply(memory_, HnsWanted());
  EXPECT_THAT(ChangesOf(MustApply(memory_, HnsWanted("web"))), ElementsAre(std::string("delete hns ") + kOne));
  EXPECT_EQ(At(kOne), Flat(std::string(kAcl) + kNat));
  EXPECT_THAT(At(kTwo), HasSubstr("15001"));
}

TEST_F(HnsKindTest, ANamespaceWithoutPodsIsSaid) {
  programs_.in_path["crictl"] = "crictl.exe";
  programs_.outputs["ps --all --output json --label io.kubernetes.pod.namespace=wbe"] = {0, R"({"containers":[]})", ""};
  MustApply(memory_, HnsWanted());
  const Plan plan = MustApply(memory_, HnsWanted("wbe"));
  EXPECT_THAT(plan.findings,
              ElementsAre(AllOf(Field(&Finding::code, "hns-no-pods"), Field(&Finding::severity, Severity::kInfo),
                                Field(&Finding::message, HasSubstr("namespace wbe")))));
  EXPECT_EQ(At(kOne), Flat(std::string(kAcl) + kNat)) << "a name that is meant so takes the policy from the others";
  network_.endpoints.clear();
  EXPECT_THAT(MustApply(memory_, HnsWanted()).findings, IsEmpty()) << "all of no pods is no typo";
}

// Otherwise a crictl that fails once would take the policies from all pods.
TEST_F(HnsKindTest, NothingIsTakenAwayWhereThePodsAreNotKnown) {
  MustApply(memory_, HnsWanted());
  const Plan plan = MustApply(memory_, HnsWanted("web"));
  EXPECT_THAT(plan.findings, ElementsAre(AllOf(Field(&Finding::code, "hns-unavailable"),
                                               Field(&Finding::message, HasSubstr("crictl is not in")))));
  EXPECT_FALSE(plan.HasWork());
  EXPECT_THAT(At(kOne), HasSubstr("15001"));
  network_.version = R"({"Success":true,"Output":{"Major":9,"Minor":5}})";
  EXPECT_THAT(MustApply(memory_, HnsWanted()).findings, ElementsAre(Field(&Finding::code, "hns-unavailable")));
}

TEST_F(HnsKindTest, ANodeWithoutHnsGetsEverythingElse) {
  memory_.network = nullptr;
  const DesiredState desired = EverythingWanted();
  const Plan plan = MustApply(memory_, desired);
  EXPECT_THAT(plan.findings, Contains(Field(&Finding::code, "hns-unavailable")));
  EXPECT_TRUE(TextAt(memory_, kEnv, "HTTP_PROXY"));
}

TEST_F(HnsKindTest, APolicyWithoutEffectIsToldAndHoldsUpNothing) {
  network_.without_effect = "Add";
  const DesiredState desired = EverythingWanted();
  const Plan plan = MustApply(memory_, desired);
  EXPECT_THAT(plan.findings, Contains(AllOf(Field(&Finding::code, "hns-endpoint"), Field(&Finding::where, kOne),
                                            Field(&Finding::message, HasSubstr("nothing changed")))));
  EXPECT_TRUE(TextAt(memory_, kEnv, "HTTP_PROXY"));
  EXPECT_EQ(DriftNow().size(), 2U);
  network_.without_effect.clear();
  MustApply(memory_, desired);
  EXPECT_THAT(DriftNow(), IsEmpty());
}

TEST_F(HnsKindTest, WhatWasNotDoneIsNoWrite) {
  network_.without_effect = "Add";
  machine::Machine ports = memory_.Ports();
  const RunReport report = ApplyOn(ports, HnsWanted(), {}, false).value();
  EXPECT_EQ(report.writes, 0U);
  ASSERT_EQ(report.changes.size(), 2U);
  EXPECT_EQ(report.changes[0].action, Action::kNone);
  EXPECT_EQ(report.changes[0].reason, "could not be set");
  EXPECT_EQ(report.findings.size(), 2U);
}

TEST_F(HnsKindTest, WhatCouldNotBeRemovedIsOursStill) {
  MustApply(memory_, HnsWanted());
  network_.without_effect = "Remove";
  machine::Machine ports = memory_.Ports();
  const RunReport report = ApplyOn(ports, NothingDesired(), {}, false).value();
  EXPECT_EQ(report.writes, 0U);
  EXPECT_EQ(std::ranges::count(report.changes, "could not be removed", &Change::reason), 2);
  EXPECT_EQ(LedgerNow().size(), 2U);
  network_.without_effect.clear();
  MustApply(memory_, NothingDesired());
  EXPECT_EQ(At(kOne), Flat(std::string(kAcl) + kNat));
  EXPECT_EQ(At(kTwo), Flat(kAcl));
  EXPECT_THAT(LedgerNow(), IsEmpty());
}

TEST_F(HnsKindTest, WhatARollbackCouldNotRemoveIsOursStill) {
  const DesiredState desired = EverythingWanted();
  MustApply(memory_, desired);
  network_.endpoints[kLater] = {kNat};
  MustApply(memory_, desired);
  network_.refused["Remove"] = {0x803B0015U, "", ""};
  const Findings findings = MustRollBack(memory_);
  EXPECT_THAT(findings, Contains(Field(&Finding::code, "hns-endpoint")));
  EXPECT_EQ(LedgerNow().size(), 3U) << "the policies alone";
  network_.refused.clear();
  MustApply(memory_, NothingDesired());
  EXPECT_EQ(At(kTwo), Flat(kAcl));
  EXPECT_EQ(At(kLater), Flat(kNat));
}

TEST_F(HnsKindTest, WhatATrialSetAndCouldNotRemoveIsOurs) {
  network_.endpoints[kTwo].push_back(kTheirs);
  ASSERT_TRUE(ApplyTo(memory_, HnsWanted(), {}, true));
  EXPECT_THAT(LedgerNow(), IsEmpty());
  network_.refused["Remove"] = {0x803B0015U, "", ""};
  machine::Machine ports = memory_.Ports();
  Findings findings;
  ASSERT_EQ(EndWhatIsOpen(ports, findings), true);
  EXPECT_EQ(LedgerNow().size(), 2U);
  network_.refused.clear();
  MustApply(memory_, NothingDesired());
  EXPECT_EQ(At(kOne), Flat(std::string(kAcl) + kNat));
  EXPECT_EQ(At(kTwo), Flat(std::string(kAcl) + kTheirs));
  EXPECT_THAT(LedgerNow(), IsEmpty());
}

TEST_F(HnsKindTest, AnEndpointThatCannotBeReadIsLeftAlone) {
  MustApply(memory_, HnsWanted());
  network_.endpoints[kTwo] = {"{"};
  const Plan plan = MustApply(memory_, HnsWanted());
  EXPECT_THAT(plan.findings, ElementsAre(AllOf(Field(&Finding::code, "hns-endpoint"), Field(&Finding::where, kTwo))));
  EXPECT_EQ(LedgerNow().size(), 2U);
  EXPECT_THAT(DriftNow(), ElementsAre(Field(&Drift::name, kTwo)));
}

// The last run for `rollback` stays the one that changed the node; also where no pod was there yet, as at the first
// boot.
TEST_F(HnsKindTest, ANewPodIsNoRunToTakeBackAndGoesWithTheOthers) {
  const MemoryNetwork network = network_;
  const MemoryMachine memory = memory_;
  for (const bool others : {true, false}) {
    network_ = network;
    memory_ = memory;
    if (!others) network_.endpoints.clear();
    const DesiredState desired = EverythingWanted();
    MustApply(memory_, desired);
    network_.endpoints[kLater] = {kNat};
    MustApply(memory_, desired);
    ASSERT_THAT(At(kLater), HasSubstr("15001"));
    machine::Machine ports = memory_.Ports();
    EXPECT_THAT(PlanBackFromLast(ports)->value().changes,
                Contains(AllOf(Field(&Change::name, kLater), Field(&Change::action, Action::kDelete))));
    MustRollBack(memory_);
    EXPECT_FALSE(TextAt(memory_, kEnv, "HTTP_PROXY"));
    if (others) {
      EXPECT_EQ(At(kTwo), Flat(kAcl));
    }
    EXPECT_EQ(At(kLater), Flat(kNat));
    EXPECT_THAT(LedgerNow(), IsEmpty());
  }
}

TEST_F(HnsKindTest, ALaterPodKeepsAPolicyThatTheRunDidNotBring) {
  MustApply(memory_, HnsWanted());
  const DesiredState desired = EverythingWanted();
  MustApply(memory_, desired);
  network_.endpoints[kLater] = {kNat};
  MustApply(memory_, desired);
  MustRollBack(memory_);
  EXPECT_FALSE(TextAt(memory_, kEnv, "HTTP_PROXY"));
  EXPECT_THAT(At(kLater), HasSubstr("15001"));
  MustApply(memory_, NothingDesired());
  EXPECT_EQ(At(kLater), Flat(kNat)) << "it was still ours";
}

// Each call of HNS may be the last: the next run finishes, and other policies are as before.
TEST_F(HnsKindTest, StoppedAtEachCallAndRunAgain) {
  network_.endpoints[kOne].push_back(kTheirs);
  const auto before = network_.endpoints;
  const MemoryMachine fresh = memory_;
  MustApply(memory_, HnsWanted());
  const std::size_t count = network_.calls;
  const std::string one = At(kOne);
  const std::string two = At(kTwo);
  ASSERT_GT(count, 10U);
  for (std::size_t call = 0; call < count; ++call) {
    for (const bool after : {false, true}) {
      memory_ = fresh;
      network_.endpoints = before;
      network_.calls = 0;
      (after ? network_.stop_after : network_.stop_before) = call;
      EXPECT_THROW(MustApply(memory_, HnsWanted()), PowerFailure) << call;
      network_.stop_after = network_.stop_before = MemoryNetwork::kNever;
      network_.open = 0;
      const Plan plan = MustApply(memory_, HnsWanted());
      EXPECT_THAT(plan.findings, IsEmpty()) << call;
      EXPECT_EQ(At(kOne), one) << call;
      EXPECT_EQ(At(kTwo), two) << call;
      MustApply(memory_, NothingDesired());
      EXPECT_EQ(At(kOne), Flat(std::string(kAcl) + kNat + kTheirs)) << call;
      EXPECT_EQ(At(kTwo), Flat(kAcl)) << call;
    }
  }
}

TEST_F(HnsKindTest, OfAnEarlierPayloadIsAdopted) {
  network_.endpoints[kOne].push_back(kOurs);
  EXPECT_THAT(ChangesOf(MustApply(memory_, HnsWanted(), {.adopt = true})),
              ElementsAre(std::string("adopt hns ") + kOne, std::string("create hns ") + kTwo));
}

TEST(EndpointWrite, IsKeptByteForByte) {
  const Operation write =
      EndpointWrite{kOne, {R"({ "Port":"8000" })"}, {R"({"Port":"1"})"}, std::string("hns:") + kOne};
  JsonWriter json;
  WriteOperation(json, write);
  const JsonNode node = ParseJsonDocument(json.Text(), "journal").value();
  EXPECT_EQ(ReadOperation(node).value(), write);
  EXPECT_EQ(Inverse(Inverse(write)), write);
  EXPECT_EQ(std::get<EndpointWrite>(Inverse(write)).after, (std::vector<std::string>{R"({ "Port":"8000" })"}));
}

TEST(EndpointWrite, IsOfItsOwnKindAlone) {
  JsonWriter json;
  WriteOperation(json, EndpointWrite{kOne, {}, {}, "env:HTTP_PROXY"});
  EXPECT_EQ(ReadOperation(ParseJsonDocument(json.Text(), "journal").value()).error().code, Code::kType);
}

TEST(PodPolicies, AreReadAsTheyWereWritten) {
  Findings findings;
  const PodPolicies policies =
      MakePodPolicies(std::string("[") + kGiven + "," + kTheirs + "]", "web", "f", findings).value();
  EXPECT_THAT(findings, ElementsAre(Field(&Finding::code, "redirect-loop")));
  JsonWriter json;
  WritePodPolicies(json, policies);
  EXPECT_EQ(ReadPodPolicies(ParseJsonDocument(json.Text(), "f").value()).value(), policies);
}

TEST(PodPolicies, WithMistakesAreRefused) {
  Findings findings;
  EXPECT_EQ(MakePodPolicies(kGiven, "Not A Namespace", "f", findings).error().where, "--hns-pods");
  EXPECT_EQ(MakePodPolicies("{", "all", "f", findings).error().code, Code::kJson);
  EXPECT_EQ(MakePodPolicies(R"({"Type":"L4WFPPROXY","Settings":{"Port":"0"}})", "all", "f", findings).error().code,
            Code::kPolicy);
  for (const char* const text :
       {R"({"pods":"A B","policies":[]})", R"({"policies":[]})", R"({"pods":"all"})", R"({"pods":"all","policies":[]})",
        R"({"pods":"all","policies":{}})", R"({"pods":"all","policies":[{"Type":"ACL"}]})"}) {
    EXPECT_FALSE(ReadPodPolicies(ParseJsonDocument(text, "f").value())) << text;
  }
}

}  // namespace
}  // namespace prov::reconcile
