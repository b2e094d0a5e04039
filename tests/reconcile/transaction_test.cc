// The program may be stopped at any instruction: at every call of a port it is stopped, the call fails, or unflushed
// writes are lost.
#include "provisioner/reconcile/transaction.h"

#include <gmock/gmock.h>

#include <functional>
#include <random>

#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/reboot.h"
#include "provisioner/reconcile/windows_proxy.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/support/amount.h"
#include "tests/support/memory_machine.h"
#include "tests/support/result.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;
using pki::Store;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;
using testing_support::SampleCertificates;
using testing_support::SampleConfig;
using testing_support::Unflushed;

// Before: another proxy, a certificate that will be rotated away, one of somebody else's. After: each kind of change.
class Interrupted : public ::testing::Test {
 protected:
  Interrupted() {
    PutWindows(machine_);
    machine_.Put(kEnv, Sz("HTTP_PROXY", "http://foreign:1"));
    machine_.Put(kContainerd, ServiceList({"A=1"}));
    machine_.content().certificates[Store::kRoot]["foreign"] = true;
    machine_.MakeDurable();
    foreign_ = machine_.content();
    egress::EgressConfig first = SampleConfig();
    first.certificates.pop_back();
    first.https_proxy = Secret("http://first.example.com:3128");
    first.no_proxy.reset();
    MustApply(machine_, Desired(first));
    machine_.Boot(Unflushed::kKept);

    egress::EgressConfig second = SampleConfig();
    second.certificates.erase(second.certificates.begin());
    second.http_proxy.reset();
    second_ = Desired(second, {"kubelet"});
    MemoryMachine copy = machine_;
    MustApply(copy, second_);
    calls_ = copy.calls;
    expected_ = copy.content();
  }

  // The run after the interruption gets there, and taking all away gives the foreign machine.
  void ExpectRecovers(MemoryMachine& machine, const std::string& where) {
    const auto plan = ApplyTo(machine, second_);
    ASSERT_TRUE(plan) << where << ": " << plan.error().message;
    ASSERT_EQ(machine.content().Text(), expected_.Text()) << where;
    ASSERT_FALSE(machine.files().contains("journal.json")) << where;
    machine.log.clear();
    ASSERT_TRUE(ApplyTo(machine, second_)) << where;
    ASSERT_THAT(machine.log, IsEmpty()) << where;
    ASSERT_TRUE(ApplyTo(machine, NothingDesired())) << where;
    ASSERT_EQ(machine.content().Text(), foreign_.Text()) << where;
  }

  MemoryMachine machine_;
  MemoryMachine::Content foreign_, expected_;
  DesiredState second_;
  std::size_t calls_ = 0;
};

TEST_F(Interrupted, AtEveryCallTheNextRunGetsThere) {
  ASSERT_GT(calls_, 35U);
  std::size_t points = 0;
  for (std::size_t call = 0; call < calls_; ++call) {
    for (const bool before : {true, false}) {
      for (const Unflushed unflushed : {Unflushed::kKept, Unflushed::kLost, Unflushed::kSome}) {
        MemoryMachine machine = machine_;
        (before ? machine.stop_before : machine.stop_after) = call;
        ASSERT_THROW((void)ApplyTo(machine, second_), PowerFailure) << call;
        machine.Boot(unflushed, static_cast<std::uint32_t>(call));
        ExpectRecovers(machine, "call " + std::to_string(call) + (before ? ", before" : ", after"));
        if (HasFatalFailure()) return;
        ++points;
      }
    }
  }
  RecordProperty("points", static_cast<int>(points));
}

TEST_F(Interrupted, AtEveryCallOfTheRecoveryToo) {
  for (std::size_t call = 0; call < calls_; call += 7) {
    for (std::size_t again = 0;; ++again) {
      MemoryMachine machine = machine_;
      machine.stop_after = call;
      ASSERT_THROW((void)ApplyTo(machine, second_), PowerFailure);
      machine.Boot(Unflushed::kLost);
      machine.stop_after = again;
      bool stopped = false;
      try {
        ASSERT_TRUE(ApplyTo(machine, second_));
      } catch (const PowerFailure&) {
        stopped = true;
      }
      machine.Boot(Unflushed::kSome, static_cast<std::uint32_t>(again));
      ExpectRecovers(machine, "call " + std::to_string(call) + ", then " + std::to_string(again));
      if (HasFatalFailure()) return;
      if (!stopped) break;
    }
  }
}

TEST_F(Interrupted, EachCallFailingOnceIsAnErrorAndTheNextRunGetsThere) {
  for (std::size_t call = 0; call < calls_; ++call) {
    MemoryMachine machine = machine_;
    machine.fail_at = call;
    const auto plan = ApplyTo(machine, second_);
    ASSERT_FALSE(plan) << call;
    ASSERT_EQ(plan.error().code, Code::kIo);
    machine.fail_at = MemoryMachine::kNever;
    ExpectRecovers(machine, "call " + std::to_string(call));
    if (HasFatalFailure()) return;
  }
}

TEST_F(Interrupted, ATrialThatNobodyConfirmsIsTakenBack) {
  const auto before = machine_.content();
  const auto ledger = machine_.Section(kLedgerSection);
  const auto last = machine_.Section(kLastSection);
  ASSERT_TRUE(ApplyTo(machine_, second_, {}, true));
  EXPECT_EQ(machine_.content().Text(), expected_.Text());
  machine_.Boot(Unflushed::kKept);
  machine::Machine ports = machine_.Ports();
  Findings findings;
  EXPECT_EQ(EndWhatIsOpen(ports, findings), true);
  EXPECT_EQ(machine_.content().Text(), before.Text());
  EXPECT_EQ(machine_.Section(kLedgerSection), ledger);
  EXPECT_EQ(machine_.Section(kLastSection), last);
  EXPECT_FALSE(machine_.files().contains("journal.json"));
  EXPECT_EQ(RebootPending(ports), true) << "services were started with what was tried";
}

TEST_F(Interrupted, AConfirmedTrialStays) {
  ASSERT_TRUE(ApplyTo(machine_, second_, {}, true));
  machine::Machine ports = machine_.Ports();
  Findings findings;
  EXPECT_EQ(Confirm(ports, findings), true);
  EXPECT_EQ(Confirm(ports, findings), false);
  EXPECT_EQ(EndWhatIsOpen(ports, findings), false);
  ExpectRecovers(machine_, "confirmed");
}

TEST_F(Interrupted, RollbackTakesTheLastRunBackOnce) {
  const auto before = machine_.content();
  const auto ledger = machine_.Section(kLedgerSection);
  ASSERT_TRUE(ApplyTo(machine_, second_));
  machine::Machine ports = machine_.Ports();
  Findings findings;
  EXPECT_EQ(Rollback(ports, findings), true);
  EXPECT_EQ(machine_.content().Text(), before.Text());
  EXPECT_EQ(machine_.Section(kLedgerSection), ledger);
  EXPECT_EQ(Rollback(ports, findings), false);
  EXPECT_THAT(findings, IsEmpty());
}

TEST_F(Interrupted, RollbackLeavesWhatSomebodyChangedSince) {
  ASSERT_TRUE(ApplyTo(machine_, second_));
  machine_.Put(kEnv, Sz("NO_PROXY", "mine"));
  machine::Machine ports = machine_.Ports();
  const Plan plan = PlanBackFromLast(ports).value().value();
  for (const Change& change : plan.changes) {
    EXPECT_EQ(change.action == Action::kYield, change.name == "NO_PROXY") << change.name;
    if (change.action == Action::kYield) {
      EXPECT_EQ(change.after, change.before);
    }
  }
  EXPECT_EQ(plan.operations.size() + 1, plan.changes.size());
  Findings findings;
  EXPECT_EQ(Rollback(ports, findings), true);
  EXPECT_EQ(TextAt(machine_, kEnv, "NO_PROXY"), "mine");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "changed-since");
}

// Windows counts each change of WinHTTP's settings, and a tool may sort a list. Both are still ours.
TEST_F(Interrupted, RollbackTakesBackWhatOthersWroteInAnotherForm) {
  MemoryMachine machine;
  PutWindows(machine);
  const auto before = machine.content();
  MustApply(machine, Desired());
  const RegValue set = machine.At(kConnections, "WinHttpSettings").value();
  WinHttpSettings counted = DecodeWinHttp(set.data).value();
  ++counted.counter;
  for (const bool trial : {false, true}) {
    machine.content() = before;
    machine.files().clear();
    ASSERT_TRUE(ApplyTo(machine, Desired(), {}, trial));
    machine.Put(kConnections, {set.name, set.type, EncodeWinHttp(counted)});
    machine.Put(kEnv, Sz("NO_PROXY", "example.com,localhost,10.0.0.0/16,.svc"));
    EXPECT_THAT(MustRollBack(machine), IsEmpty());
    EXPECT_EQ(machine.content().Text(), before.Text());
    EXPECT_EQ(DriftOf(machine), std::vector<std::string>());
  }
}

// The run removed a certificate, and another program added it again: it is theirs.
TEST_F(Interrupted, WhatOthersRestoredSinceIsTheirs) {
  ASSERT_TRUE(ApplyTo(machine_, second_));
  const std::string der = SampleCertificates().front().der;
  ASSERT_FALSE(machine_.content().certificates[Store::kRoot].contains(der));
  machine_.content().certificates[Store::kRoot][der] = true;
  machine_.MakeDurable();
  MustRollBack(machine_);
  MustApply(machine_, NothingDesired());
  EXPECT_TRUE(machine_.content().certificates[Store::kRoot].contains(der));
}

// Another tool's entries come while a run is cut short, or after it.
TEST_F(Interrupted, OthersAddToAListMeanwhile) {
  const auto lists = [](const MemoryMachine& machine) {
    return ServiceEntries(machine.At(kContainerd, "Environment")).value();
  };
  const std::vector<std::string> wanted = lists(machine_);  // of the first run
  for (std::size_t call = 0; call < calls_; ++call) {
    MemoryMachine machine = machine_;
    machine.stop_after = call;
    ASSERT_THROW((void)ApplyTo(machine, second_), PowerFailure) << call;
    machine.Boot(Unflushed::kKept);
    std::vector<std::string> list = lists(machine);
    list.emplace_back("LATE=1");
    machine.Put(kContainerd, ServiceList(list));
    machine.MakeDurable();
    machine::Machine ports = machine.Ports();
    Findings findings;
    ASSERT_TRUE(Finish(ports, findings));
    ASSERT_THAT(findings, testing::Each(testing::Field(&Finding::code, "recovered"))) << call;
    std::vector<std::string> finished = lists(machine);
    ASSERT_EQ(std::erase(finished, "LATE=1"), 1U) << call;
    if (machine.Section(kLastSection) == machine_.Section(kLastSection)) {  // it never began
      ASSERT_EQ(finished, wanted) << call;
      continue;
    }
    ASSERT_THAT(finished, ElementsAre("A=1")) << call << ": containerd is not wanted any more";
    ASSERT_EQ(Rollback(ports, findings), true);
    std::vector<std::string> back = lists(machine);
    ASSERT_EQ(std::erase(back, "LATE=1"), 1U) << call;
    ASSERT_THAT(back, testing::UnorderedElementsAreArray(wanted)) << call;
  }
}

TEST_F(Interrupted, ADamagedJournalIsAnErrorThatNamesIt) {
  machine_.files()["journal.json"] = "{\"schema\": 1, \"reboot\": fal";
  const Error plan = ErrorIn(ApplyTo(machine_, second_));
  EXPECT_EQ(plan.where, "journal.json: line 1, column 28");
}

TEST(Operation, ThatIsNotForItsItemIsRefused) {
  const auto code = [](const std::string& text) {
    const auto read = ReadOperation(ParseJsonDocument(text, "journal.json").value());
    return read ? Code::kInternal : read.error().code;
  };
  EXPECT_EQ(code(R"({"item": "certificate:ROOT:AB", "kind": "registry", "key": "K", "name": "n", "ownKeys": []})"),
            Code::kType);
  EXPECT_EQ(code(R"({"item": "env:X", "kind": "certificate", "store": "ROOT", "add": true, "der": ""})"), Code::kType);
  EXPECT_EQ(code(R"({"item": "serviceEnv:x", "kind": "security", "key": "K", "before": "", "after": ""})"),
            Code::kType);
  EXPECT_EQ(code(R"({"item": "env:X", "kind": "registry", "key": "K", "name": "n", "ownKeys": []})"), Code::kInternal);
}

TEST(Transaction, SurvivesItsFile) {
  Transaction transaction;
  transaction.trial = "{\n  \"until\": 7\n}\n";
  transaction.reboot = true;
  transaction.operations = {
      RegistryWrite{
          "SYSTEM\\K", "n\"", std::nullopt, RegValue{"N", RegType::kBinary, "\0\xFF"}, {"SYSTEM\\K"}, "env:n"},
      RegistryWrite{"K", "", RegValue{"", RegType::kSz, "x"}, std::nullopt, {}, "winHttp:64"},
      CertificateWrite{Store::kCa, "der\0", false, "certificate:CA:AB"}};
  transaction.ledger_before["env:X"] = {std::nullopt, RegValue{"X", RegType::kSz, "ab"}, {"K"}};
  transaction.ledger_after["serviceEnv:y"] = {RegValue{"X", static_cast<RegType>(77), ""}, std::nullopt, {}};
  const auto read = Must(ParseTransaction(TransactionJson(transaction), "f"));
  EXPECT_EQ(TransactionJson(read), TransactionJson(transaction));
  EXPECT_EQ(read.operations, transaction.operations);
  EXPECT_EQ(read.ledger_after, transaction.ledger_after);
  EXPECT_EQ(read.trial, transaction.trial);
}

Result<void> Mark(machine::Machine& machine) {
  Sections sections;
  PROV_TRY(MarkReboot(machine, sections));
  return machine.state.Commit(sections);
}

TEST(Reboot, IsALevelThatTheNextBootClears) {
  MemoryMachine machine;
  machine::Machine ports = machine.Ports();
  EXPECT_EQ(RebootPending(ports), false);
  ASSERT_TRUE(Mark(ports));
  EXPECT_EQ(RebootPending(ports), true);
  EXPECT_EQ(RebootPending(ports), true) << "asking does not clear it";
  machine.Boot(Unflushed::kKept);
  EXPECT_EQ(RebootPending(ports), false);
  EXPECT_TRUE(machine.Section(kRebootSection)) << "asking never writes";
  ASSERT_TRUE(ForgetPastReboot(ports));
  EXPECT_FALSE(machine.Section(kRebootSection));
}

TEST(Reboot, AMarkerOfTheMachineThatWasClonedIsNotOurs) {
  MemoryMachine machine;
  machine::Machine ports = machine.Ports();
  ASSERT_TRUE(Mark(ports));
  machine.set_machine_id("another");
  EXPECT_EQ(RebootPending(ports), false);
}

// Starting points and desired states by chance.
class Chance {
 public:
  explicit Chance(std::uint32_t seed) : random_(seed + 1) {}
  bool Yes() { return random_() % 2 == 0; }
  std::size_t Below(std::size_t n) { return random_() % n; }

  DesiredState Wanted() {
    static const std::vector<CertificateItem> all = Desired().certificates;  // verifying their signatures takes time
    static const std::vector<std::string> urls = {"http://a:1", "http://u:p@b:2", "http://c.example:3"};
    egress::EgressConfig config = SampleConfig();
    config.certificates.clear();
    config.http_proxy = Yes() ? std::optional(Secret(urls[Below(3)])) : std::nullopt;
    config.https_proxy = Yes() ? std::optional(Secret(urls[Below(3)])) : std::nullopt;
    config.no_proxy = Yes() ? std::optional<std::string>(Yes() ? "a,b" : "b") : std::nullopt;
    config.proxy_file.present = Below(8) != 0;
    DesiredOptions options;
    for (const char* name : {"containerd", "kubelet", "absent"}) {
      if (Yes()) options.services.emplace_back(name);
    }
    options.scope.win_inet = Below(8) == 0;
    if (Below(4) == 0) options.scope = {Yes(), Yes(), Yes(), Yes(), Yes()};
    DesiredState state = MakeDesiredState(config, options).value();
    for (const auto& item : all) {
      if (state.scope.certificates && Yes()) state.certificates.push_back(item);
    }
    return state;
  }

  // An edit by somebody else; returns how to see that it stays: nothing of ours may ever change it.
  void Edit(MemoryMachine& machine) {
    static const std::vector<pki::Certificate> all = SampleCertificates();
    const std::string n = std::to_string(Below(100));
    switch (Below(12)) {
      case 10:
        return WriteOursInAnotherForm(machine);
      case 11:
        return machine.Erase(kContainerd, "Environment");
      case 0:
        return machine.Put(kEnv, Sz("FOREIGN", n));
      case 1:
        return machine.Put(kEnv, Sz(Yes() ? "HTTP_PROXY" : "no_proxy", "http://foreign:" + n));
      case 2:
        return machine.Erase(kEnv, "HTTPS_PROXY");
      case 3:
        return machine.Put(kContainerd, ServiceList({"F=" + n, "HTTP_PROXY=http://foreign:" + n}));
      case 4:
        return machine.Put(kConnections,
                           {"WinHttpSettings", RegType::kBinary, EncodeWinHttp({.proxy = {"f:" + n, ""}})});
      case 5:
        return machine.Put(kConnections, {Yes() ? "DefaultConnectionSettings" : "SavedLegacySettings", RegType::kBinary,
                                          EncodeWinInet({.proxy = {"f:" + n, ""}})});
      case 6:
        return EditList(machine, [&](std::vector<std::string>& list) { list.push_back("F=" + n); });
      case 7:
        return EditList(machine, [&](std::vector<std::string>& list) {
          for (std::string& entry : list) {
            if (entry.starts_with("HTTPS_PROXY=")) entry = "https_proxy=http://foreign:" + n;
          }
        });
      case 8:
        machine.content().certificates[Yes() ? Store::kRoot : Store::kCa]["foreign" + n] = Yes();
        break;
      default:
        machine.content().certificates[Store::kRoot].erase(all[0].der);
    }
    machine.MakeDurable();
  }

 private:
  // As Windows counts its changes, and as a tool sorts a list.
  static void WriteOursInAnotherForm(MemoryMachine& machine) {
    if (const auto value = machine.At(kConnections, "WinHttpSettings")) {
      if (auto settings = DecodeWinHttp(value->data)) {
        ++settings->counter;
        machine.Put(kConnections, {"WinHttpSettings", value->type, EncodeWinHttp(*settings)});
      }
    }
    if (TextAt(machine, kEnv, "NO_PROXY") == "a,b") machine.Put(kEnv, Sz("NO_PROXY", "b,a"));
  }

  // The list of containerd, by a tool that keeps what it finds there.
  static void EditList(MemoryMachine& machine, const std::function<void(std::vector<std::string>&)>& edit) {
    std::vector<std::string> list = ServiceEntries(machine.At(kContainerd, "Environment")).value();
    std::erase_if(list, [](const std::string& entry) { return entry.starts_with("F="); });
    edit(list);
    machine.Put(kContainerd, ServiceList(list));
  }

  std::minstd_rand random_;
};

TEST(Histories, RollbackUndoesApplyWhateverTheStart) {
  for (std::uint32_t seed = 0; seed < testing_support::Amount(1000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Chance chance(seed);
    MemoryMachine machine;
    PutWindows(machine);
    for (std::size_t i = chance.Below(4); i > 0; --i) chance.Edit(machine);
    if (chance.Yes()) MustApply(machine, chance.Wanted());
    if (chance.Yes()) chance.Edit(machine);
    const auto before = machine.content();
    const Plan plan = MustApply(machine, chance.Wanted());
    if (plan.operations.empty()) continue;
    MustRollBack(machine);
    ASSERT_EQ(machine.content().Text(), before.Text());
  }
}

// Values that nobody but others wrote, by place.
std::map<std::string, std::string> Foreign(const MemoryMachine::Content& content) {
  std::map<std::string, std::string> out;
  for (const auto& [path, key] : content.keys) {
    for (const auto& [name, value] : key.values) {
      const bool ours = name == "http_proxy" || name == "https_proxy" || name == "no_proxy" || name == "environment" ||
                        name == "winhttpsettings" || path.find("internet settings") != std::string::npos;
      if (!ours) out[path + "\\" + name] = value.data;
      if (name != "environment") continue;
      const std::string text = FromUtf16Le(value.data).value_or("");
      for (const std::string_view entry : Split(text, '\0')) {
        if (entry.starts_with("F=")) out[path + "\\F"] = entry;
      }
    }
  }
  for (const auto& [store, certificates] : content.certificates) {
    for (const auto& [der, own] : certificates) {
      if (der.starts_with("foreign")) out[std::string(NameOf(store)) + der] = own ? "own" : "policy";
    }
  }
  return out;
}

// Whether a proxy of Chance::Wanted is anywhere.
bool HoldsOurs(const MemoryMachine::Content& content) {
  for (const std::string url : {"//a:1", "u:p@b", "c.example"}) {
    for (const std::string& text : {url, ToUtf16Le(url)}) {
      for (const auto& [path, key] : content.keys) {
        for (const auto& [name, value] : key.values) {
          if (value.data.find(text) != std::string::npos) return true;
        }
      }
    }
  }
  return false;
}

// Applies, trials that end in any way, and rollbacks, with edits by others between any two.
TEST(Histories, NothingForeignIsEverChangedAndNothingOfOursIsLeft) {
  for (std::uint32_t seed = 0; seed < testing_support::Amount(4'000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Chance chance(seed);
    MemoryMachine machine;
    PutWindows(machine);
    for (int step = 0; step < 6; ++step) {
      if (chance.Yes()) chance.Edit(machine);
      const auto foreign = Foreign(machine.content());
      const DesiredState wanted = chance.Below(5) == 0 ? NothingDesired() : chance.Wanted();
      const bool trial = chance.Below(4) == 0;
      ASSERT_TRUE(ApplyTo(machine, wanted, {}, trial));
      ASSERT_EQ(Foreign(machine.content()), foreign);
      if (chance.Below(3) == 0) chance.Edit(machine);
      const auto since = Foreign(machine.content());
      machine::Machine ports = machine.Ports();
      Findings findings;
      if (trial && chance.Yes()) {
        ASSERT_TRUE(Confirm(ports, findings));
      } else if (chance.Below(3) == 0) {
        ASSERT_TRUE(Rollback(ports, findings));
      }
      ASSERT_EQ(Foreign(machine.content()), since);
    }
    const auto foreign = Foreign(machine.content());
    MustApply(machine, NothingDesired());
    ASSERT_EQ(Foreign(machine.content()), foreign);
    ASSERT_FALSE(HoldsOurs(machine.content())) << machine.content().Text();
  }
}

}  // namespace
}  // namespace prov::reconcile
