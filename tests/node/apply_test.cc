#include "provisioner/node/apply.h"

#include "provisioner/node/probe.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/node/status.h"
#include "provisioner/reconcile/wmco.h"
#include "tests/node/node_helpers.h"
#include "tests/registries/sources.h"
#include "tests/support/result.h"

namespace prov::node {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::MemoryHost;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;
using testing_support::Unflushed;

class ApplyNode : public NodeTest {
 protected:
  reconcile::RunReport Apply(const Settings& settings, const ApplyOptions& options = {}) {
    OpenNode n = node();
    return Must(ApplySettings(n, settings, options));
  }
};

// The rest is set although this containerd gets no hosts.toml files.
TEST_F(ApplyNode, ABootOfTheOperatorsNodeLeavesItsRegistriesOut) {
  Settings settings = SampleSettings();
  settings.options.scope.registries = true;
  settings.options.registry_folder = R"(C:\certs.d)";
  settings.config.mirrors = registries::Cluster({registries::Source("quay.io", {registries::ForAll("m.example")})});
  host_.memory.PutKey(reconcile::kDaemonKey);
  OpenNode n = node();
  EXPECT_EQ(ErrorIn(ApplySettings(n, settings, {})).code, Code::kOwner);
  const auto certificates = [&] { return host_.memory.content().certificates[pki::Store::kRoot].size(); };
  EXPECT_EQ(certificates(), 0U);
  const auto booted = Must(FirstBoot(n, settings, {SpecOf("payload"), true, {}}, {}));
  EXPECT_THAT(Codes(booted.findings), testing::Contains("registries-refused"));
  EXPECT_GT(certificates(), 0U);
  const auto round = RunRound(host_, [&](const SettingsSpec&) -> Result<Settings> { return settings; });
  ASSERT_TRUE(round) << round.error().message;
}

TEST_F(ApplyNode, RemembersWhatWasAppliedAndWritesNothingASecondTime) {
  EXPECT_GT(Apply(SampleSettings()).writes, 0U);
  EXPECT_EQ(Variable("NO_PROXY"), ".svc,10.0.0.0/16,localhost,example.com");
  const auto applied = LoadApplied(host_.memory.State());
  ASSERT_TRUE(applied && *applied);
  EXPECT_EQ((*applied)->since, host_.now);
  EXPECT_EQ((*applied)->generation, 1);
  host_.memory.log.clear();
  host_.now += 1000;
  EXPECT_EQ(Apply(SampleSettings()).writes, 0U);
  EXPECT_THAT(host_.memory.log, IsEmpty());
}

TEST_F(ApplyNode, OnceWmcoWasSeenItsVariablesAreItsBusiness) {
  Apply(SampleSettings());
  host_.memory.PutKey(reconcile::kDaemonKey);
  Apply(SampleSettings(), {.unattended = true});
  EXPECT_TRUE(HasSection(reconcile::kWmcoSection));
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://from-the-daemon:1"));
  host_.memory.log.clear();
  const auto report = Apply(SampleSettings(), {.unattended = true});
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://from-the-daemon:1");
  EXPECT_EQ(report.writes, 1U) << "containerd follows";
  EXPECT_EQ(Apply(SampleSettings(), {.unattended = true}).writes, 0U);
  bool yielded = false;
  for (const auto& change : report.changes) yielded = yielded || change.action == reconcile::Action::kYield;
  EXPECT_TRUE(yielded);
}

TEST_F(ApplyNode, RefusesAnOlderPayloadUnlessToldOtherwise) {
  Apply(SampleSettings(5));
  OpenNode n = node();
  const Error refused = ErrorIn(ApplySettings(n, OtherSettings(4), {}));
  EXPECT_EQ(refused.code, Code::kDowngrade);
  EXPECT_THAT(refused.message, HasSubstr("generation 4"));
  EXPECT_EQ(PlanSettings(n, OtherSettings(4), {}).error().code, Code::kDowngrade);
  EXPECT_NE(Variable("HTTP_PROXY"), "http://other.example.com:8080");
  Apply(OtherSettings(4), {.allow_downgrade = true});
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://other.example.com:8080");
  Apply(SampleSettings(std::nullopt));  // a source without generations
}

TEST_F(ApplyNode, AnotherPayloadOfTheSameGenerationIsRefused) {
  Settings first = SampleSettings(5);
  first.payload = "a";
  Settings second = OtherSettings(5);
  second.payload = "b";
  Apply(first);
  Apply(first);
  OpenNode n = node();
  const Error refused = ErrorIn(ApplySettings(n, second, {}));
  EXPECT_EQ(refused.code, Code::kDowngrade);
  EXPECT_THAT(refused.message, HasSubstr("another payload of generation 5"));
  Apply(OtherSettings(5));  // what was kept of a payload
  EXPECT_TRUE(ApplySettings(n, second, {})) << "nobody knows which one that was";
  EXPECT_FALSE(HasSection(kFloorSection)) << "none of them is signed";
}

TEST_F(ApplyNode, TheDigestOfTheSourceOutlivesTheSource) {
  Settings read = SampleSettings();
  read.source_digest = "d1";
  Apply(read);
  EXPECT_EQ((*LoadApplied(host_.memory.State()))->source_digest, "d1");
  Apply(SampleSettings());  // as kept, when the source is gone
  EXPECT_EQ((*LoadApplied(host_.memory.State()))->source_digest, "d1");
  read.source_digest = "d2";  // another certificate that nodes don't import
  EXPECT_EQ(Apply(read).writes, 0U);
  EXPECT_EQ((*LoadApplied(host_.memory.State()))->source_digest, "d2");
  Apply(OtherSettings());
  EXPECT_EQ((*LoadApplied(host_.memory.State()))->source_digest, "") << "nobody told that of these";
}

TEST_F(ApplyNode, ARunningServiceIsRestartedOnlyWhenAsked) {
  host_.services_by_name["containerd"].process_id = 7;
  EXPECT_THAT(Codes(Apply(SampleSettings()).findings), Contains("service-runs-on"));
  EXPECT_THAT(host_.restarted, IsEmpty());
  EXPECT_THAT(Codes(Apply(OtherSettings(), {.restart_services = true}).findings), Contains("service-restarted"));
  EXPECT_THAT(host_.restarted, ElementsAre("containerd"));
  EXPECT_THAT(Codes(Apply(OtherSettings(), {.restart_services = true}).findings), Not(Contains("service-restarted")));
  EXPECT_EQ(host_.restarted.size(), 1U);
}

// Two lists of one service change: it is restarted once, and status knows one service.
TEST_F(ApplyNode, AServiceUnderNssmIsRestartedOnce) {
  host_.services_by_name["containerd"].process_id = 7;
  host_.memory.Put(
      std::string(reconcile::kContainerd) + R"(\Parameters)",
      {"AppEnvironmentExtra", images::RegType::kMultiSz, images::EncodeMultiSz({"HTTP_PROXY=http://x:1"})});
  const MemoryHost start = host_;
  EXPECT_THAT(Codes(Apply(SampleSettings()).findings), testing::Contains("service-runs-on").Times(1));
  host_ = start;
  Apply(SampleSettings(), {.restart_services = true});
  EXPECT_THAT(host_.restarted, ElementsAre("containerd"));
  OpenNode n = node();
  const NodeStatus status = StatusOf(n).value();
  ASSERT_EQ(status.services.size(), 1U);
  EXPECT_EQ(status.services[0].name, "containerd");
  for (const auto& variable : status.variables) EXPECT_THAT(variable.services, ElementsAre("containerd"));
}

TEST_F(ApplyNode, ServicesThatKeepAProxyOfTheirOwnAreNamed) {
  const auto put = [&](const std::string& service, std::string_view value, const std::string& entry) {
    host_.memory.Put(R"(SYSTEM\CurrentControlSet\Services\)" + service + R"(\Parameters)",
                     {std::string(value), images::RegType::kMultiSz, images::EncodeMultiSz({entry})});
  };
  put("containerd", "AppEnvironmentExtra", "HTTP_PROXY=http://x:1");  // it is managed
  put("Other", "AppEnvironmentExtra", "http_proxy=http://x:1");
  put("third", "AppEnvironment", "NO_PROXY=x");
  put("fourth", "AppEnvironmentExtra", "A=1");
  OpenNode n = node();
  const auto named = [](const Findings& findings) {
    std::vector<std::string> out;
    for (const Finding& finding : findings) {
      if (finding.code == "service-own-proxy") out.push_back(finding.where);
    }
    return out;
  };
  EXPECT_THAT(named(PlanSettings(n, SampleSettings(), {})->findings), ElementsAre("Other", "third"));
  EXPECT_THAT(named(Apply(SampleSettings()).findings), ElementsAre("Other", "third"));
  EXPECT_THAT(named(Apply(SampleSettings(), {.unattended = true}).findings), IsEmpty()) << "not in each round";
}

// In the service of RKE2 or k0s, CONTAINERD_HTTPS_PROXY comes before HTTPS_PROXY for containerd.
TEST_F(ApplyNode, NamesVariablesThatKeepContainerdFromTheProxy) {
  const auto own_of = [&](const std::string& service) {
    const std::string key = R"(SYSTEM\CurrentControlSet\Services\)" + service;
    host_.memory.Put(key, reconcile::ServiceList({"CONTAINERD_HTTPS_PROXY=http://old:1", "A=1"}));
    Settings settings = SampleSettings();
    settings.options.services = {service};
    OpenNode n = node();
    const auto plan = PlanSettings(n, settings, {});
    std::vector<std::string> out;
    for (const Finding& one : plan ? plan->findings : Findings()) {
      if (one.code == "containerd-own-proxy") out.push_back(one.message);
    }
    return out;
  };
  EXPECT_THAT(own_of("rke2"), ElementsAre("CONTAINERD_HTTPS_PROXY is set, with another value than rke2 itself gets: "
                                          "containerd takes that one"));
  EXPECT_THAT(own_of("K0sWorker"), testing::SizeIs(1));
  EXPECT_THAT(own_of("containerd"), IsEmpty()) << "that variable says nothing to containerd itself";
}

TEST_F(ApplyNode, ATrialIsOpenUntilItsTimeOrTheNextBoot) {
  OpenNode n = node();
  const auto waits = [&] { return TrialWaits(n, BeginRun(n).value()); };
  ASSERT_TRUE(TrySettings(n, SampleSettings(), {}, 60)->trial);
  EXPECT_EQ(waits(), true);
  host_.now += 60;
  EXPECT_EQ(waits(), false);
  host_.now -= 30;
  host_.memory.Boot(testing_support::MemoryMachine::Unflushed::kKept);
  EXPECT_EQ(waits(), false);
}

TEST_F(ApplyNode, AConfirmedTrialIsWhatWasApplied) {
  OpenNode n = node();
  ASSERT_TRUE(TrySettings(n, SampleSettings(3), {}, 60));
  EXPECT_FALSE(*LoadApplied(host_.memory.State()));
  const auto confirmed = Must(ConfirmTrial(n));
  EXPECT_TRUE(confirmed.reboot_required);
  EXPECT_FALSE(confirmed.changes.empty());
  EXPECT_EQ((*LoadApplied(host_.memory.State()))->generation, 3);
  EXPECT_FALSE(HasFile(machine::kJournalFile));
  EXPECT_EQ(ConfirmTrial(n).error().code, Code::kTarget);
}

TEST_F(ApplyNode, WhereNothingDiffersThereIsNoTrial) {
  Apply(SampleSettings());
  OpenNode n = node();
  EXPECT_FALSE(TrySettings(n, SampleSettings(), {}, 60)->trial);
  EXPECT_FALSE(HasFile(machine::kJournalFile));
}

TEST_F(ApplyNode, ATrialOfATrialTakesTheFirstBack) {
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://before:1"));
  OpenNode n = node();
  ASSERT_TRUE(TrySettings(n, SampleSettings(), {}, 60));
  ASSERT_TRUE(TrySettings(n, OtherSettings(), {}, 60)->trial);
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://other.example.com:8080");
  ASSERT_TRUE(Rollback(n));
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://before:1");
}

TEST_F(ApplyNode, ARollbackTellsWhatItDidAndHolds) {
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://before:1"));
  Apply(SampleSettings());
  OpenNode n = node();
  const auto back = Must(Rollback(n));
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://before:1");
  EXPECT_EQ(Variable("NO_PROXY"), std::nullopt);
  EXPECT_GT(back.writes, 0U);
  std::set<std::string> kinds;
  for (const auto& change : back.changes) {
    EXPECT_THAT(change.before + change.after, Not(HasSubstr("c4nary")));
    kinds.insert(std::string(reconcile::NameOf(change.kind)) + " " + std::string(reconcile::NameOf(change.action)));
    if (change.name == "HTTP_PROXY") {
      EXPECT_EQ(change.after, "http://before:1");
    }
  }
  EXPECT_THAT(kinds, ElementsAre("certificate delete", "env delete", "env update", "service update",
                                 "serviceEnv delete", "winHttp delete"));
  EXPECT_TRUE(HasSection(kHoldSection));
  EXPECT_EQ(Rollback(n).error().code, Code::kTarget) << "only one step is kept";
  Apply(SampleSettings());
  EXPECT_FALSE(HasSection(kHoldSection)) << "apply ends the hold";
}

TEST_F(ApplyNode, ARollbackThatWasCutShortIsFinishedAndReportedAsOne) {
  host_.services_by_name["containerd"].process_id = 7;
  Apply(SampleSettings());
  const MemoryHost start = host_;
  OpenNode whole = node();
  const auto wanted = Rollback(whole).value();
  const auto content = host_.memory.content().Text();
  for (std::size_t call = start.memory.calls;; ++call) {
    host_ = start;
    host_.memory.stop_after = call;
    OpenNode cut = node();
    ASSERT_THROW((void)Rollback(cut), PowerFailure) << call;
    const auto open = reconcile::LoadJournal(host_.memory.State()).value();
    if (open && open->is_rollback) break;
  }
  host_.memory.stop_after = MemoryMachine::kNever;
  OpenNode n = node();
  const auto report = Rollback(n).value();
  EXPECT_EQ(host_.memory.content().Text(), content);
  EXPECT_EQ(report.writes, wanted.writes);
  EXPECT_EQ(report.changes.size(), wanted.changes.size());
  EXPECT_TRUE(report.reboot_required);
  EXPECT_THAT(Codes(report.findings), AllOf(Contains("recovered"), Contains("service-runs-on")));
}

// What others change before a cut rollback is finished, or before a trial is confirmed, is no change of ours.
TEST_F(ApplyNode, WhatIsLeftToOthersIsNotReportedAsAChange) {
  const auto expect = [](const reconcile::RunReport& report, std::string_view meanwhile) {
    EXPECT_EQ(report.writes + 1, report.changes.size());
    for (const reconcile::Change& change : report.changes) {
      EXPECT_EQ(change.action == reconcile::Action::kYield, change.name == "HTTP_PROXY") << change.name;
      if (change.name == "HTTP_PROXY") {
        EXPECT_EQ(change.after, change.before);
      }
    }
    EXPECT_THAT(report.findings, Contains(AllOf(testing::Field(&Finding::code, "changed-since"),
                                                testing::Field(&Finding::message, HasSubstr(std::string(meanwhile))))));
  };
  const auto theirs = reconcile::Sz("HTTP_PROXY", "http://theirs:1");
  const MemoryHost fresh = host_;
  OpenNode n = node();
  ASSERT_TRUE(TrySettings(n, SampleSettings(), {}, 60)->trial);
  host_.memory.Put(reconcile::kEnv, theirs);
  expect(ConfirmTrial(n).value(), "while the trial was open");

  host_ = fresh;
  Apply(SampleSettings());
  const MemoryHost start = host_;
  for (std::size_t call = start.memory.calls;; ++call) {
    host_ = start;
    host_.memory.stop_after = call;
    OpenNode cut = node();
    ASSERT_THROW((void)Rollback(cut), PowerFailure) << call;
    if (HasFile(machine::kJournalFile)) break;
  }
  host_.memory.stop_after = MemoryMachine::kNever;
  host_.memory.Put(reconcile::kEnv, theirs);
  OpenNode again = node();
  expect(Rollback(again).value(), "before an interrupted run was finished");
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://theirs:1");
}

TEST_F(ApplyNode, AnApplyTakesATrialBackAndSaysSo) {
  OpenNode n = node();
  ASSERT_TRUE(TrySettings(n, SampleSettings(), {}, 60)->trial);
  const auto report = Apply(OtherSettings());
  EXPECT_THAT(Codes(report.findings), Contains("recovered"));
  EXPECT_GT(report.writes, 0U);
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://other.example.com:8080");
}

TEST_F(ApplyNode, RemovingBringsBackWhatWasThereAndForgetsTheSource) {
  const auto before = host_.memory.content().Text();
  Apply(SampleSettings());
  OpenNode n = node();
  ASSERT_TRUE(SaveSource(host_.memory.State(), {SpecOf("payload")}));
  Must(RemoveSettings(n));
  EXPECT_EQ(host_.memory.content().Text(), before);
  for (const auto section :
       {kSourceSection, kSettingsSection, kAppliedSection, kHoldSection, reconcile::kLastSection}) {
    EXPECT_FALSE(HasSection(section)) << section;
  }
  EXPECT_EQ(Rollback(n).error().code, Code::kTarget) << "the last run would hold the password";
}

// The daemon accepted what we had set, so its record has our password.
TEST_F(ApplyNode, RemovingForgetsWhatTheOperatorsDaemonHasSet) {
  Apply(SampleSettings());
  host_.memory.PutKey(reconcile::kDaemonKey);
  Apply(SampleSettings());
  host_.now += 3600;
  Apply(SampleSettings());
  ASSERT_THAT(host_.memory.Section(reconcile::kWmcoSection).value(), HasSubstr("c4nary"));
  OpenNode n = node();
  ASSERT_TRUE(RemoveSettings(n));
  for (const auto& [name, bytes] : host_.memory.files()) EXPECT_THAT(bytes, Not(HasSubstr("c4nary"))) << name;
}

TEST_F(ApplyNode, WarnsOfAServiceThatWillApplySomethingElse) {
  OpenNode n = node();
  Findings findings;
  ASSERT_TRUE(WarnOfStoredSource(n, Derive(SampleSettings()).value(), findings));
  EXPECT_THAT(findings, IsEmpty()) << "none is stored";
  ASSERT_TRUE(Remember(host_.memory.State(), kSettingsSection, Derive(SampleSettings())->json));
  ASSERT_TRUE(WarnOfStoredSource(n, Derive(SampleSettings()).value(), findings));
  EXPECT_THAT(findings, IsEmpty());
  ASSERT_TRUE(WarnOfStoredSource(n, Derive(OtherSettings()).value(), findings));
  EXPECT_THAT(Codes(findings), ElementsAre("stored-source"));
}

TEST_F(ApplyNode, ProbesGoTheWayOfTheNewSettings) {
  Findings findings;
  const std::vector<std::string> urls = {"https://registry.example.org/v2/", "https://api.svc/healthz"};
  ASSERT_TRUE(ProbeAll(host_, SampleSettings().config, urls, {}, findings));
  EXPECT_THAT(
      host_.requests,
      ElementsAre("https://registry.example.org/v2/ via http://user:c4nary%40@proxy.example.com:3128 with 3 roots",
                  "https://api.svc/healthz with 3 roots"));
  EXPECT_THAT(Codes(findings), ElementsAre("probe", "probe"));
}

TEST_F(ApplyNode, AFailedProbeEndsThem) {
  Findings findings;
  host_.waits_left = 10;
  host_.answer = Fail(Code::kNetwork, "the proxy refused the connection");
  const std::vector<std::string> urls = {"https://a.org/", "https://b.org/"};
  EXPECT_EQ(ProbeAll(host_, SampleSettings().config, urls, {}, findings).error().message,
            "the proxy refused the connection");
  EXPECT_EQ(host_.requests.size(), 3U) << "tried three times, and the second URL not at all";
  EXPECT_EQ(ProbeAll(host_, SampleSettings().config, {"no url"}, {}, findings).error().code, Code::kUsage);
}

TEST_F(ApplyNode, ConfirmationIsSeenFromOutside) {
  OpenNode n = node();
  ASSERT_TRUE(TrySettings(n, SampleSettings(), {}, 60));
  const Trial trial = LoadTrial(host_.memory.State())->value();
  host_.waits_left = 3;
  EXPECT_EQ(AwaitConfirmation(host_, trial), false) << "asked to stop";
  host_.waits_left = 100;
  host_.now += 30;  // other things took that long
  const std::int64_t left = trial.until - host_.now;
  EXPECT_LT(left, 30);
  const std::int64_t start = host_.now;
  EXPECT_EQ(AwaitConfirmation(host_, trial), false) << "the time is over";
  EXPECT_EQ(host_.now - start, left) << "the trial's own";
  host_.now -= 10;
  host_.during_wait = [&] { (void)ConfirmTrial(n); };
  EXPECT_EQ(AwaitConfirmation(host_, trial), true);
  EXPECT_EQ(AwaitConfirmation(host_, trial), true) << "before the call";
}

// Another apply takes the trial back, and is seen, or cut short, while it works.
TEST_F(ApplyNode, ATrialInWhosePlaceAnotherRunIsOpenIsNotConfirmed) {
  OpenNode n = node();
  ASSERT_TRUE(TrySettings(n, SampleSettings(), {}, 60));
  const Trial trial = LoadTrial(host_.memory.State())->value();
  const MemoryHost start = host_;
  bool seen = false;
  for (std::size_t call = host_.memory.calls; !seen; ++call) {
    host_ = start;
    host_.memory.stop_after = call;
    OpenNode other = node();
    ASSERT_THROW((void)ApplySettings(other, OtherSettings(), {}), PowerFailure) << call;
    host_.memory.stop_after = MemoryMachine::kNever;
    const auto open = reconcile::LoadJournal(host_.memory.State()).value();
    seen = open && !open->trial && !open->is_rollback;
    host_.waits_left = 0;
    EXPECT_EQ(AwaitConfirmation(host_, trial), false) << call;
  }
}

TEST_F(ApplyNode, ATrialThatIsOverLeavesThatOfAnotherRunOpen) {
  host_.waits_left = 100;
  TrialOptions options{5, {}, [&](std::int64_t) { return host_.Open(machine::Access::kWrite); }};
  options.on_wait = [&](Findings&) {
    OpenNode other = node();
    ASSERT_TRUE(TrySettings(other, OtherSettings(), {}, 3600));
  };
  EXPECT_FALSE(RunTrial(host_, Derive(SampleSettings()).value(), {}, options)->stays);
  const auto open = Must(LoadTrial(host_.memory.State()).value());
  EXPECT_EQ(open.applied.digest, Derive(OtherSettings())->digest);
}

TEST_F(ApplyNode, ATrialWaitsNoLongerThanItsSecondsAfterTheClockIsSetBack) {
  OpenNode n = node();
  ASSERT_TRUE(TrySettings(n, SampleSettings(), {}, 60));
  const auto waits = [&] { return TrialWaits(n, BeginRun(n).value()).value(); };
  host_.now -= 20;
  EXPECT_TRUE(waits()) << "clocks are adjusted";
  host_.now -= 86400;
  EXPECT_FALSE(waits());
  host_.waits_left = 100;
  EXPECT_EQ(AwaitConfirmation(host_, LoadTrial(host_.memory.State())->value()), false);
  EXPECT_EQ(host_.waits_left, 100U);
}

TEST_F(ApplyNode, ATrialTakenBackByOthersIsNotConfirmed) {
  OpenNode n = node();
  ASSERT_TRUE(TrySettings(n, SampleSettings(), {}, 60));
  const Trial trial = LoadTrial(host_.memory.State())->value();
  host_.waits_left = 100;
  host_.during_wait = [&] { (void)Rollback(n); };
  EXPECT_EQ(AwaitConfirmation(host_, trial), false);
  EXPECT_EQ(AwaitConfirmation(host_, trial), false) << "before the call";
}

}  // namespace
}  // namespace prov::node
