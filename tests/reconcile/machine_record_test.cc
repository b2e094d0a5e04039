// The record of a payload's script: merged with this program's ledger, and taken over.
#include "provisioner/reconcile/machine_record.h"

#include <gmock/gmock.h>

#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/observe.h"
#include "provisioner/reconcile/reboot.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/reconcile/script_run.h"
#include "tests/support/finding_codes.h"
#include "tests/support/result.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;
using pki::Store;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;
using testing_support::SampleConfig;

constexpr std::string_view kKubelet = R"(SYSTEM\CurrentControlSet\Services\kubelet)";

// A machine after the script has applied `Desired()` to it, and before.
class ScriptRan : public ::testing::Test {
 protected:
  ScriptRan() {
    PutWindows(memory_);
    memory_.Put(kEnv, {"HTTPS_PROXY", RegType::kExpandSz, images::EncodeSz("http://old:%PORT%")});
    memory_.Put(kContainerd, ServiceList({"A=1", "HTTP_PROXY=http://old:1"}));
    for (const CertificateItem& item : desired_.certificates) {
      if (item.store == Store::kCa) memory_.content().certificates[Store::kCa][item.certificate.der] = true;
    }
    memory_.MakeDurable();
    before_ = memory_.content();
    script_.Apply(desired_);
    memory_.log.clear();
    memory_.calls = 0;
  }

  std::optional<ScriptState> TakeOver() { return Must(AdoptScriptState(machine_, findings_)); }

  const DesiredState desired_ = Desired();
  MemoryMachine memory_;
  machine::Machine machine_ = memory_.Ports();
  ScriptRun script_{machine_};
  MemoryMachine::Content before_;
  Findings findings_;
};

TEST_F(ScriptRan, ItsItemsAreOursAndARemovalRestoresWhatWasThereBeforeIt) {
  const auto taken = Must(TakeOver());
  EXPECT_EQ(taken.generation, 3);
  EXPECT_THAT(testing_support::CodesOf(findings_), ElementsAre("script-state"));
  EXPECT_EQ(taken.ledger.size(), 2U + 3U + 2U + 2U + 2U) << "the certificate that was there before is not ours";
  EXPECT_THAT(memory_.files(), ElementsAre(Key(machine::kStateFile), Key(machine::kStatePreviousFile)));
  EXPECT_THAT(memory_.Sections(), ElementsAre(Key("last"), Key("ledger"), Key("reboot")));
  EXPECT_THAT(StatusOf(machine_)->drift, IsEmpty());
  EXPECT_THAT(MustApply(memory_, desired_).operations, IsEmpty());
  MustApply(memory_, NothingDesired());
  EXPECT_EQ(memory_.content().Text(), before_.Text());
}

TEST_F(ScriptRan, BeforeItIsTakenOverItIsReadAndNothingIsWritten) {
  const auto record = Must(LoadMachineRecord(machine_));
  EXPECT_EQ(record.ledger.size(), 2U + 3U + 2U + 2U + 2U);
  const auto status = Must(StatusOf(machine_));
  EXPECT_EQ(status.ledger, record.ledger);
  EXPECT_TRUE(status.script);
  EXPECT_THAT(status.drift, IsEmpty());
  EXPECT_TRUE(status.reboot_required);
  const auto planned = Must(PlanOn(machine_, desired_, {}));
  for (const Change& change : planned.changes) {
    // What was there before the script was there before us, too.
    const bool foreign = change.name.starts_with("CA ");
    EXPECT_EQ(change.reason.find("before us") != std::string::npos, foreign) << change.name;
  }
  EXPECT_THAT(planned.findings, ElementsAre(Field(&Finding::code, "script-state")));
  EXPECT_THAT(memory_.log, IsEmpty());
}

TEST_F(ScriptRan, WhatOthersChangedSinceIsDrift) {
  memory_.Put(kEnv, Sz("HTTP_PROXY", "http://mine:1"));
  const CertificateItem& gone = desired_.certificates.front();
  memory_.content().certificates[gone.store].erase(gone.certificate.der);
  const auto status = Must(StatusOf(machine_));
  ASSERT_EQ(status.drift.size(), 2U);
  EXPECT_EQ(status.drift[0].key, "certificate:ROOT:" + gone.certificate.sha1);
  EXPECT_TRUE(status.drift[0].missing);
  EXPECT_EQ(status.drift[1].key, "env:HTTP_PROXY");
  EXPECT_FALSE(status.drift[1].missing);
}

TEST_F(ScriptRan, WhatItPutThereIsReplacedByNewSettingsAndStillRestored) {
  TakeOver();
  egress::EgressConfig next = SampleConfig();
  next.http_proxy = next.https_proxy = Secret("http://next.example.com:3128");
  next.certificates.pop_back();
  MustApply(memory_, Desired(next, {"kubelet"}));
  EXPECT_EQ(memory_.At(kContainerd, "Environment"), ServiceList({"A=1", "HTTP_PROXY=http://old:1"}));
  MustApply(memory_, NothingDesired());
  EXPECT_EQ(memory_.content().Text(), before_.Text());
}

// The record is saved before the value is written.
TEST_F(ScriptRan, CutShortBetweenRecordAndValueTheOlderValueIsOursToo) {
  const RegValue older = Sz("HTTP_PROXY", "http://older:1");
  const RegValue newer = Sz("HTTP_PROXY", "http://newer:1");
  const RegValue list = ServiceList({"HTTP_PROXY=http://older:1"});
  script_.entries() = {{"env:HTTP_PROXY", {}, newer, older},
                       {"serviceEnv:kubelet", {}, ServiceList({"HTTP_PROXY=http://newer:1"}), list},
                       {R"(serviceEnv:kubelet\parameters)", {}, ServiceList({"HTTP_PROXY=http://newer:1"}), list}};
  script_.Save();
  const std::string parameters = std::string(kKubelet) + R"(\Parameters)";
  RegValue of_nssm = ServiceList({"A=1", "HTTP_PROXY=http://older:1"});
  of_nssm.name = "AppEnvironmentExtra";
  memory_.Put(parameters, of_nssm);
  memory_.Put(kEnv, older);
  memory_.Put(kKubelet, list);
  TakeOver();
  MustApply(memory_, NothingDesired());
  EXPECT_FALSE(memory_.At(kEnv, "HTTP_PROXY"));
  EXPECT_FALSE(memory_.At(kKubelet, "Environment"));
  EXPECT_EQ(EntriesIn(memory_.At(parameters, of_nssm.name)), std::vector<std::string>{"A=1"});
}

TEST_F(ScriptRan, ItsRebootIsOursWhileThatBootLasts) {
  const std::string key = R"(SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters)";
  const MemoryMachine start = memory_;
  const auto pending_at = [&](const std::optional<std::uint32_t>& counter) {
    MemoryMachine memory = start;
    if (counter) memory.Put(key, {"BootId", RegType::kDword, images::EncodeDword(*counter)});
    machine::Machine machine = memory.Ports();
    const bool status = StatusOf(machine)->reboot_required;
    EXPECT_TRUE(AdoptScriptState(machine, findings_).value());
    EXPECT_EQ(RebootPending(machine).value(), status);
    return status;
  };
  EXPECT_TRUE(pending_at(7));
  EXPECT_FALSE(pending_at(8)) << "it booted since";
  EXPECT_TRUE(pending_at({})) << "it can't be told";
}

TEST_F(ScriptRan, TheNewFileServesWhereItReplacedTheOtherOneHalfway) {
  const std::string good = memory_.files().at("script-state.json");
  memory_.files() = {{"script-state.json.new", good}};
  EXPECT_TRUE(TakeOver());
  EXPECT_THAT(memory_.files(), ElementsAre(Key(machine::kStateFile), Key(machine::kStatePreviousFile)));
  EXPECT_THAT(memory_.Sections(), ElementsAre(Key("last"), Key("ledger"), Key("reboot")));
  memory_.files() = {{"script-state.json.new", "{\"sche"}};
  EXPECT_FALSE(TakeOver()) << "it was killed before it changed anything";
}

TEST_F(ScriptRan, ARecordOfANewerScriptIsRefused) {
  const std::map<std::string, std::string> newer = {{"script-state.json", "{\"schema\":2}"},
                                                    {"script-state.json.new", memory_.files().at("script-state.json")}};
  memory_.files() = newer;
  for (const auto& result : {ApplyOn(machine_, desired_, {}, false), PlanOn(machine_, desired_, {})}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::kVersion);
    EXPECT_THAT(result.error().where, HasSubstr("script-state.json: $.schema"));
    EXPECT_THAT(result.error().message, HasSubstr("a newer version of provisioner wrote this; use that version"));
  }
  EXPECT_EQ(memory_.files(), newer);
}

TEST_F(ScriptRan, ADamagedRecordStopsEachRunAndStays) {
  const std::map<std::string, std::string> damaged = {{"script-state.json", "{\"sche"}, {"script-state.json.new", "{"}};
  memory_.files() = damaged;
  for (const auto& result : {ApplyOn(machine_, desired_, {}, false), ApplyOn(machine_, NothingDesired(), {}, false),
                             PlanOn(machine_, desired_, {})}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::kJson);
    EXPECT_THAT(result.error().message, HasSubstr("restore it from a backup"));
  }
  EXPECT_EQ(memory_.files(), damaged);
  const auto status = StatusOf(machine_);
  ASSERT_TRUE(status) << "what else there is to see does not depend on it";
  ASSERT_TRUE(status->damage);
  EXPECT_THAT(status->damage->where, HasSubstr("script-state.json"));
}

// This program's run, then the script's: what was there before both comes back.
TEST_F(ScriptRan, AfterARunOfThisProgramBothAreUndone) {
  MemoryMachine memory;
  memory.content() = before_;
  memory.MakeDurable();
  machine::Machine machine = memory.Ports();
  egress::EgressConfig first = SampleConfig();
  first.http_proxy = first.https_proxy = Secret("http://first.example.com:3128");
  MustApply(memory, Desired(first));
  egress::EgressConfig next = SampleConfig();
  next.https_proxy.reset();
  ScriptRun(machine).Apply(Desired(next, {"containerd"}));
  EXPECT_EQ(TextAt(memory, kEnv, "HTTP_PROXY"), SampleConfig().http_proxy->Reveal());
  EXPECT_THAT(StatusOf(machine)->drift, IsEmpty());
  const MemoryMachine both = memory;
  ASSERT_TRUE(ApplyOn(machine, NothingDesired(), {}, false));
  EXPECT_EQ(memory.content().Text(), before_.Text());
  // A rollback ends at what this program had set.
  memory = both;
  ASSERT_TRUE(AdoptScriptState(machine, findings_));
  ASSERT_TRUE(Rollback(machine, findings_));
  EXPECT_EQ(TextAt(memory, kEnv, "HTTP_PROXY"), "http://first.example.com:3128");
  EXPECT_THAT(StatusOf(machine)->drift, IsEmpty());
  ASSERT_TRUE(ApplyOn(machine, NothingDesired(), {}, false));
  EXPECT_EQ(memory.content().Text(), before_.Text());
}

TEST_F(ScriptRan, WhatSomebodyChangedAfterBothStays) {
  const Ledger own = {{"env:HTTP_PROXY", {Sz("HTTP_PROXY", "first"), Sz("HTTP_PROXY", "ours"), {}}}};
  ASSERT_TRUE(machine_.state.Commit({{"ledger", LedgerJson(own)}}));
  memory_.Put(kEnv, Sz("HTTP_PROXY", "http://mine:1"));
  TakeOver();
  EXPECT_EQ(LoadLedger(machine_.state)->at("env:HTTP_PROXY"), own.at("env:HTTP_PROXY"));
  MustApply(memory_, NothingDesired());
  EXPECT_EQ(TextAt(memory_, kEnv, "HTTP_PROXY"), "http://mine:1");
}

TEST_F(ScriptRan, ItsRunIsTheLastOneAndARollbackTakesItBack) {
  TakeOver();
  ASSERT_TRUE(Rollback(machine_, findings_).value());
  EXPECT_EQ(memory_.content().Text(), before_.Text());
  EXPECT_THAT(*LoadLedger(machine_.state), IsEmpty());
}

TEST_F(ScriptRan, AnyCallMayBeTheLast) {
  const MemoryMachine start = memory_;
  MemoryMachine whole = start;
  machine::Machine ports = whole.Ports();
  ASSERT_TRUE(AdoptScriptState(ports, findings_));
  const std::size_t calls = whole.calls;
  const Ledger ledger = *LoadLedger(ports.state);
  for (std::size_t call = 0; call < calls; ++call) {
    for (const bool after : {false, true}) {
      MemoryMachine memory = start;
      machine::Machine machine = memory.Ports();
      (after ? memory.stop_after : memory.stop_before) = call;
      EXPECT_THROW((void)AdoptScriptState(machine, findings_), PowerFailure);
      memory.stop_after = memory.stop_before = MemoryMachine::kNever;
      EXPECT_EQ(LoadMachineRecord(machine)->ledger, ledger) << "nobody's at call " << call;
      ASSERT_TRUE(AdoptScriptState(machine, findings_));
      ASSERT_EQ(memory.files(), whole.files()) << call;
    }
  }
}

TEST(MachineRecord, AMachineWithoutOneIsNotTouched) {
  MemoryMachine memory;
  machine::Machine machine = memory.Ports();
  Findings findings;
  EXPECT_EQ(AdoptScriptState(machine, findings).value().has_value(), false);
  EXPECT_THAT(memory.log, IsEmpty());
  EXPECT_THAT(findings, IsEmpty());
}

}  // namespace
}  // namespace prov::reconcile
