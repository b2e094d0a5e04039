// Each file of the state, damaged in each way, on a node that is idle, in the middle of a run or on trial. The next
// round manages the node again, values of others are not touched, and a removal still restores what was there before.
#include "provisioner/node/state_repair.h"

#include "provisioner/base/json_writer.h"
#include "provisioner/node/events.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/node/search_path.h"
#include "provisioner/node/status.h"
#include "tests/node/node_helpers.h"
#include "tests/support/kills.h"
#include "tests/support/result.h"

namespace prov::node {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::MemoryHost;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;

enum class Way { kEmpty, kCut, kGarbled, kZeros, kDeleted };
constexpr Way kWays[] = {Way::kEmpty, Way::kCut, Way::kGarbled, Way::kZeros, Way::kDeleted};

// Whether there was something to damage.
bool Damage(MemoryHost& host, const std::string& file, Way way) {
  auto& files = host.memory.files();
  const auto found = files.find(file);
  if (found == files.end()) return false;
  std::string& text = found->second;
  if (way == Way::kEmpty) text.clear();
  if (way == Way::kCut) text.resize(text.size() / 2);
  if (way == Way::kGarbled) text[text.size() / 2] = '\x01';
  if (way == Way::kZeros) text.assign(text.size(), '\0');
  if (way == Way::kDeleted) files.erase(found);
  return true;
}

Result<RoundReport> Round(MemoryHost& host, const Settings& settings = SampleSettings()) {
  auto round = PROV_TRY(RunRound(host, [&](const SettingsSpec&) -> Result<Settings> { return settings; }));
  return round ? Result<RoundReport>(*std::move(round)) : Fail(Code::kInternal, "nobody asked for a stop");
}

// Calls `check` with a copy of the host for each file and each way to damage it.
template <class Check>
void ForEachDamage(const MemoryHost& start, std::initializer_list<const char*> files, Check check) {
  for (const std::string file : files) {
    for (const Way way : kWays) {
      SCOPED_TRACE(file + " " + std::to_string(static_cast<int>(way)));
      MemoryHost host = start;
      ASSERT_TRUE(Damage(host, file, way));
      check(host, file, way);
    }
  }
}

constexpr std::initializer_list<const char*> kAllFiles = {"state.json", "state.previous.json", "journal.json",
                                                          "journal.previous.json"};

std::vector<std::string> KeptFiles(const MemoryHost& host) {
  std::vector<std::string> out;
  for (const auto& [name, text] : host.memory.files()) {
    if (name.find(".damaged-") != std::string::npos) out.push_back(name);
  }
  return out;
}

class StateRepaired : public NodeTest {
 protected:
  StateRepaired() {
    host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://before:1"));
    host_.memory.Put(reconcile::kEnv, reconcile::Sz("FOREIGN", "stays"));
    host_.memory.content().certificates[pki::Store::kRoot]["foreign"] = true;
    host_.memory.Put(R"(SYSTEM\CurrentControlSet\Services\EventLog\Application)", reconcile::Sz("File", "x"));
    before_ = host_.memory.content().Text();
    OpenNode n = node();
    Must(FirstBoot(n, SampleSettings(), {SpecOf("payload"), true, {}}, {}));
    managed_ = host_.memory.content().Text();
    host_.events_written.clear();
  }

  // With its settings gone, as is what else the installation wrote into the registry.
  static std::string Removed(MemoryHost host) {
    OpenNode n = NodeOn(host);
    Must(RemoveSettings(n));
    EXPECT_TRUE(UnregisterEventSource(n));
    EXPECT_TRUE(RemoveFromSearchPath(n));
    return host.memory.content().Text();
  }

  // A round on the host, which has to end where one ends whose state nobody damaged.
  void ExpectManaged(MemoryHost& host, const Settings& settings, const std::string& wanted) {
    Must(Round(host, settings));
    EXPECT_EQ(host.memory.content().Text(), wanted);
    EXPECT_FALSE(host.memory.files().contains("journal.json"));
    if (host.memory.files().contains("state.json")) {  // else nothing took the place of earlier files
      EXPECT_EQ(host.memory.files().at("state.json"), host.memory.files().at("state.previous.json"));
    }
    EXPECT_EQ(Removed(host), before_);
  }

  // The power goes in the middle of an apply of other settings.
  MemoryHost Interrupted() {
    const Settings other = OtherSettings();
    for (std::size_t at = 0;; ++at) {
      MemoryHost host = host_;
      host.memory.log.clear();
      host.memory.calls = 0;
      host.memory.stop_after = at;
      OpenNode n = NodeOn(host);
      EXPECT_THROW((void)ApplySettings(n, other, {}), PowerFailure);
      const bool wrote =
          std::ranges::any_of(host.memory.log, [](const std::string& call) { return call.starts_with("Set "); });
      if (!wrote) continue;
      host.memory.Boot(MemoryMachine::Unflushed::kKept);
      return host;
    }
  }

  std::string before_, managed_;
};

TEST_F(StateRepaired, ARoundRestoresEachFileOfANodeAtRest) {
  ForEachDamage(host_, {"state.json", "state.previous.json"}, [&](MemoryHost& host, const std::string& file, Way way) {
    MemoryHost looked = host;
    const auto round = Must(Round(looked));
    EXPECT_EQ(round.run.writes, 0U);
    const bool copy_is_gone = file == "state.previous.json" && way == Way::kDeleted;
    EXPECT_NE(HasFinding(round.run.findings, "state-damaged"), copy_is_gone)
        << "a copy that is missing is only made again";
    EXPECT_EQ(looked.memory.Section(kLostSection), std::nullopt);
    EXPECT_EQ(looked.memory.Section(reconcile::kLedgerSection), host_.memory.Section(reconcile::kLedgerSection));
    ExpectManaged(host, SampleSettings(), managed_);
  });
}

TEST_F(StateRepaired, ARoundGoesOnWithAnInterruptedRunWhateverIsDamaged) {
  const MemoryHost start = Interrupted();
  MemoryHost whole = start;
  ASSERT_TRUE(Round(whole, OtherSettings()));
  const std::string wanted = whole.memory.content().Text();
  ForEachDamage(start, kAllFiles, [&](MemoryHost& host, const std::string& /*file*/, Way /*way*/) {
    ExpectManaged(host, OtherSettings(), wanted);
  });
}

TEST_F(StateRepaired, ATrialStaysOpenWhateverIsDamaged) {
  OpenNode n = node();
  ASSERT_TRUE(TrySettings(n, OtherSettings(), {}, 60));
  ForEachDamage(host_, kAllFiles, [&](MemoryHost& host, const std::string& /*file*/, Way /*way*/) {
    MemoryHost waiting = host;
    const auto round = Must(Round(waiting));
    EXPECT_TRUE(round.held);
    OpenNode opened = NodeOn(host);
    Must(Rollback(opened));
    EXPECT_EQ(host.memory.content().Text(), managed_);
    EXPECT_EQ(Removed(host), before_);
  });
}

TEST_F(StateRepaired, WhatCannotBeReadIsKeptAndTold) {
  ASSERT_TRUE(Damage(host_, "state.json", Way::kCut));
  const std::string damaged = host_.memory.files().at("state.json");
  host_.now = 1'800'000'000;  // 2027-01-15T08:00:00Z
  const auto round = Must(Round(host_));
  const std::string kept = "state.damaged-20270115-080000.json";
  EXPECT_THAT(KeptFiles(host_), ElementsAre(kept));
  EXPECT_EQ(host_.memory.files().at(kept), damaged);
  const auto found = std::ranges::find(round.run.findings, "state-damaged", &Finding::code);
  ASSERT_NE(found, round.run.findings.end());
  const Finding& told = *found;
  EXPECT_EQ(told.severity, Severity::kWarning);
  EXPECT_EQ(told.where, R"(C:\ProgramData\Provisioner\state.json)");
  EXPECT_THAT(told.message, HasSubstr("is cut short or garbled (line "));
  EXPECT_THAT(told.message, HasSubstr("was restored from state.previous.json, and nothing is lost"));
  EXPECT_THAT(told.message, HasSubstr(R"(kept as C:\ProgramData\Provisioner\)" + kept));
  EXPECT_THAT(host_.events_written, Contains(testing::Pair(9, HasSubstr(R"(Provisioner\state.json)"))));
  EXPECT_THAT(host_.events_written, Not(Contains(testing::Pair(9, HasSubstr("S3cret")))));
  OpenNode n = node();
  const auto status = Must(StatusOf(n));
  EXPECT_FALSE(status.Differs());
  ASSERT_EQ(status.repairs.size(), 1U);
  EXPECT_EQ(status.repairs[0].at, host_.now);
  EXPECT_THAT(status.repairs[0].file.kept, HasSubstr(kept));
  const auto again = Must(Round(host_));
  EXPECT_FALSE(HasFinding(again.run.findings, "state-damaged")) << "it is told once";
}

TEST_F(StateRepaired, LookingWritesNothing) {
  ForEachDamage(host_, {"state.json", "state.previous.json"}, [&](MemoryHost& host, const std::string& file, Way way) {
    const auto files = host.memory.files();
    host.memory.log.clear();
    OpenNode n = NodeOn(host);
    const auto status = Must(StatusOf(n));
    EXPECT_TRUE(status.engine.drift.empty());
    EXPECT_FALSE(status.engine.ledger.empty());
    EXPECT_FALSE(status.record_lost);
    const bool told = file == "state.json" || way != Way::kDeleted;
    EXPECT_EQ(status.damage.size(), told ? 1U : 0U);
    EXPECT_EQ(status.Differs(), told);
    const auto plan = Must(PlanSettings(n, SampleSettings(), {}));
    EXPECT_EQ(plan.writes, 0U);
    ASSERT_TRUE(PlanRemoval(n, false));
    EXPECT_EQ(host.memory.files(), files);
    EXPECT_THAT(host.memory.log, IsEmpty());
  });
}

TEST_F(StateRepaired, AnyCallOfARepairMayBeTheLast) {
  MemoryHost start = Interrupted();
  ASSERT_TRUE(Damage(start, "state.json", Way::kGarbled));
  ASSERT_TRUE(Damage(start, "journal.json", Way::kCut));
  start.events_written.clear();
  const auto repair = [](MemoryHost& host) {
    Findings findings;
    OpenNode n = NodeOn(host);
    ASSERT_TRUE(RepairState(n, findings));
  };
  MemoryHost done = start;
  repair(done);
  ASSERT_TRUE(Round(done, OtherSettings()));
  testing_support::KillAtEveryCall(
      start, repair,
      [&](MemoryHost& host, std::size_t) {
        host.memory.Boot(MemoryMachine::Unflushed::kKept);
        EXPECT_THAT(KeptFiles(host).size(), testing::Le(2U));
        ExpectManaged(host, OtherSettings(), done.memory.content().Text());
      },
      1);
}

// A disk that stays full must not fill with what is kept.
TEST_F(StateRepaired, ARepairThatFailsLeavesEverythingForTheNext) {
  MemoryHost start = Interrupted();
  ASSERT_TRUE(Damage(start, "state.json", Way::kGarbled));
  MemoryHost whole = start;
  Findings findings;
  OpenNode n = NodeOn(whole);
  whole.memory.calls = 0;
  ASSERT_TRUE(RepairState(n, findings));
  const std::size_t calls = whole.memory.calls;
  for (std::size_t call = 0; call < calls; ++call) {
    SCOPED_TRACE(call);
    MemoryHost host = start;
    host.memory.calls = 0;
    host.memory.fail_at = call;
    OpenNode failed = NodeOn(host);
    const auto repaired = RepairState(failed, findings);
    host.memory.fail_at = MemoryMachine::kNever;
    if (!repaired && host.memory.files().at("state.json") == start.memory.files().at("state.json")) {
      EXPECT_THAT(KeptFiles(host), IsEmpty());
    }
    Must(Round(host, OtherSettings()));
    EXPECT_EQ(Removed(host), before_);
  }
}

TEST_F(StateRepaired, AFileOfANewerProgramIsLeftAlone) {
  for (const std::string file : {"state.json", "journal.json", "state.previous.json"}) {
    MemoryHost host = host_;
    host.memory.files()[file] = R"({"schema": 9})";
    const auto files = host.memory.files();
    Findings findings;
    OpenNode n = NodeOn(host);
    ASSERT_TRUE(RepairState(n, findings));
    EXPECT_THAT(findings, IsEmpty());
    EXPECT_EQ(host.memory.files(), files);
    if (file == "state.previous.json") continue;
    EXPECT_EQ(Round(host).error().code, Code::kVersion);
    host.memory.files()[std::string(kActivityFile)] = files.at(std::string(kActivityFile));  // the failure of the round
    EXPECT_EQ(host.memory.files(), files);
  }
  std::string& text = host_.memory.files().at("state.json");
  text.replace(text.find("\"schema\": 1"), 11, "\"schema\": 3");
  ASSERT_TRUE(Round(host_)) << "the seal tells damage from a newer form";
}

TEST_F(StateRepaired, ALostRecordEndsNothingAndNothingOfItIsTakenForOthers) {
  ASSERT_TRUE(Damage(host_, "state.json", Way::kGarbled));
  ASSERT_TRUE(Damage(host_, "state.previous.json", Way::kCut));
  const Error round = ErrorIn(Round(host_));
  EXPECT_EQ(round.code, Code::kNotFound);
  EXPECT_THAT(round.message, HasSubstr("the record of this machine was lost"));
  EXPECT_THAT(KeptFiles(host_), testing::SizeIs(2));
  EXPECT_EQ(host_.memory.content().Text(), managed_) << "what is set stays";
  OpenNode n = node();
  EXPECT_TRUE(StatusOf(n)->record_lost);
  const Error refused = ErrorIn(RemoveSettings(n));
  EXPECT_THAT(refused.message, HasSubstr("so nothing was removed"));
  EXPECT_EQ(host_.memory.content().Text(), managed_);
  const auto applied = Must(ApplySettings(n, SampleSettings(), {}));
  EXPECT_EQ(applied.writes, 0U);
  EXPECT_THAT(Codes(applied.findings), Contains("state-lost"));
  EXPECT_THAT(applied.changes, Contains(testing::Field(&reconcile::Change::reason, HasSubstr("record was lost"))));
  EXPECT_FALSE(StatusOf(n)->record_lost);
  ASSERT_TRUE(RemoveSettings(n));
  EXPECT_FALSE(Variable("HTTPS_PROXY"));
  EXPECT_EQ(Variable("FOREIGN"), "stays");
  EXPECT_TRUE(host_.memory.content().certificates[pki::Store::kRoot].contains("foreign"));
}

// Nothing says what was set, but the service that set it is here.
TEST_F(StateRepaired, ARecordThatSomebodyDeletedIsMissed) {
  host_.memory.files().clear();
  OpenNode n = node();
  EXPECT_TRUE(StatusOf(n)->record_lost);
  EXPECT_TRUE(StatusOf(n)->Differs());
  EXPECT_THAT(Round(host_).error().message, HasSubstr("the record of this machine was lost"));
  EXPECT_EQ(RemoveSettings(n).error().code, Code::kNotFound);
  EXPECT_THAT(host_.memory.files(), IsEmpty());
  const DerivedSettings derived = Derive(SampleSettings()).value();
  Findings findings;
  ASSERT_TRUE(InstallService(n, &derived, {SpecOf("payload"), true, {}}, findings));
  EXPECT_THAT(Codes(findings), Contains("state-lost"));
  const auto round = Must(Round(host_));
  EXPECT_THAT(Codes(round.run.findings), Contains("state-lost"));
  EXPECT_EQ(host_.memory.content().Text(), managed_);
  ASSERT_TRUE(RemoveSettings(n));
  EXPECT_FALSE(Variable("HTTPS_PROXY")) << "ours again";
}

TEST_F(StateRepaired, AServiceWithoutASourceHasLostNothing) {
  MemoryHost host;
  reconcile::PutWindows(host.memory);
  OpenNode n = NodeOn(host);
  Findings findings;
  ASSERT_TRUE(InstallService(n, nullptr, {}, findings));
  EXPECT_FALSE(StatusOf(n)->record_lost);
  EXPECT_THAT(Round(host).error().message, HasSubstr("no source is stored"));
}

// Neither the journal nor its copy can be read: what the run had done is taken for ours where it is as wanted.
TEST_F(StateRepaired, ALostJournalLeavesNoValueToOthers) {
  MemoryHost host = Interrupted();
  ASSERT_TRUE(Damage(host, "journal.json", Way::kGarbled));
  ASSERT_TRUE(Damage(host, "journal.previous.json", Way::kEmpty));
  const auto round = Must(Round(host, OtherSettings()));
  EXPECT_THAT(Codes(round.run.findings), Contains("state-lost"));
  OpenNode n = NodeOn(host);
  EXPECT_TRUE(StatusOf(n)->engine.drift.empty());
  EXPECT_EQ(Removed(host), before_);
}

}  // namespace
}  // namespace prov::node
