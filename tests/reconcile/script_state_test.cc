// Records as templates/Install-Egress.ps1 writes them, taken over.
#include "provisioner/reconcile/script_state.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "provisioner/base/hash.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/reboot.h"
#include "provisioner/reconcile/session.h"
#include "tests/reconcile/engine_helpers.h"

namespace prov::reconcile {
namespace {

using egress::Store;
using images::RegType;
using images::RegValue;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;
using testing_support::SampleConfig;

constexpr std::string_view kConnections32 =
    R"(SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Internet Settings\Connections)";

// The script's text for a value.
std::string Text(const std::optional<RegValue>& value) {
  if (!value) return "absent";
  return fmt::format("{:x}:{}", static_cast<unsigned>(value->type), ToHex(value->data));
}

std::string Line(std::string_view kind, std::string_view name, std::string_view before, std::string_view after,
                 std::string_view prior = "", std::string_view key = "") {
  return fmt::format(R"({{"kind":"{}","name":"{}","before":"{}","after":"{}","prior":"{}","key":"{}"}})", kind, name,
                     before, after, prior, key);
}

// Save-State of the script.
std::string File(const std::vector<std::string>& lines) {
  return "{\"schema\":1,\"items\":[\r\n" + fmt::format("{}", fmt::join(lines, ",\r\n")) + "\r\n]}\r\n";
}

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
    Script();
  }

  void Script() {
    for (const CertificateItem& item : desired_.certificates) {
      const bool was_there = item.store == Store::kCa;
      lines_.push_back(Line("certificate", std::string(NameOf(item.store)) + "/" + item.certificate.sha1,
                            was_there ? "present" : "absent", "present"));
      memory_.content().certificates[item.store][item.certificate.der] = true;
    }
    for (const EnvironmentVariable& variable : desired_.environment) {
      Write("env", variable.name, kEnv, EncodeVariable(variable));
    }
    lines_.push_back(Line("reboot", "machine", "", "counter 4:07000000"));
    const RegValue win_http = EncodeWinHttpValue(*desired_.win_http);
    Write("winHttp", "64", kConnections, win_http, "1");
    Write("winHttp", "32", kConnections32, win_http, "4");
    for (const ServiceEnvironment& service : desired_.services) {
      const std::string key = R"(SYSTEM\CurrentControlSet\Services\)" + service.service;
      const auto now = ServiceEntries(memory_.At(key, "Environment")).value();
      Write("serviceEnv", service.service, key, ServiceList(MergeServiceEnvironment(now, service.variables)));
      lines_.push_back(
          Line("serviceOurs", service.service, "", Text(ServiceList(MergeServiceEnvironment({}, service.variables)))));
    }
    lines_.push_back(Line("generation", "payload", "", "3"));
    memory_.files()["script-state.json"] = File(lines_);
  }

  void Write(const std::string& kind, const std::string& name, std::string_view key, const RegValue& value,
             std::string_view made_keys = "") {
    lines_.push_back(Line(kind, name, Text(memory_.At(key, value.name)), Text(value), "", made_keys));
    memory_.Put(key, value);
  }

  std::optional<ScriptState> Import() {
    auto imported = ImportScriptState(machine_, LookupIn(desired_.certificates), findings_);
    EXPECT_TRUE(imported) << imported.error().where << ": " << imported.error().message;
    return imported.value_or(std::nullopt);
  }

  const DesiredState desired_ = Desired();
  MemoryMachine memory_;
  machine::Machine machine_ = memory_.Ports();
  MemoryMachine::Content before_;
  std::vector<std::string> lines_;
  Findings findings_;
};

TEST_F(ScriptRan, ItsItemsAreOursAndARemovalRestoresWhatWasThereBeforeIt) {
  const auto imported = Import();
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->generation, 3);
  EXPECT_THAT(findings_, IsEmpty());
  EXPECT_EQ(imported->ledger.size(), 2U + 3U + 2U + 2U) << "the certificate that was there before is not ours";
  EXPECT_THAT(memory_.files(), UnorderedElementsAre(Key("ledger.json"), Key("reboot.json")));
  EXPECT_THAT(StatusOf(machine_)->drift, IsEmpty());
  for (const Operation& operation : MustApply(memory_, desired_).operations) {
    EXPECT_TRUE(std::holds_alternative<SecurityWrite>(operation)) << "the script closes no keys";
  }
  MustApply(memory_, NothingDesired());
  EXPECT_EQ(memory_.content().Text(), before_.Text());
}

TEST_F(ScriptRan, WhatItPutThereIsReplacedByNewSettingsAndStillRestored) {
  Import();
  egress::EgressConfig next = SampleConfig();
  next.http_proxy = next.https_proxy = Secret("http://next.example.com:3128");
  next.certificates.pop_back();
  MustApply(memory_, Desired(next, {"kubelet"}));
  EXPECT_EQ(memory_.At(kContainerd, "Environment"), ServiceList({"A=1", "HTTP_PROXY=http://old:1"}));
  MustApply(memory_, NothingDesired());
  EXPECT_EQ(memory_.content().Text(), before_.Text());
}

TEST_F(ScriptRan, WhatSomebodyChangedSinceIsLeftAlone) {
  memory_.Put(kEnv, Sz("HTTP_PROXY", "http://mine:1"));
  Import();
  MustApply(memory_, NothingDesired());
  EXPECT_EQ(TextAt(memory_, kEnv, "HTTP_PROXY"), "http://mine:1");
}

// The record is saved before the value is written.
TEST_F(ScriptRan, CutShortBetweenRecordAndValueTheOlderValueIsOursToo) {
  const RegValue older = Sz("HTTP_PROXY", "http://older:1");
  const RegValue newer = Sz("HTTP_PROXY", "http://newer:1");
  const RegValue list = ServiceList({"HTTP_PROXY=http://older:1"});
  memory_.files()["script-state.json"] =
      File({Line("env", "HTTP_PROXY", "absent", Text(newer), Text(older)),
            Line("serviceEnv", "kubelet", "absent", Text(ServiceList({"HTTP_PROXY=http://newer:1"}))),
            Line("serviceOurs", "kubelet", "", Text(ServiceList({"HTTP_PROXY=http://newer:1"})), Text(list))});
  memory_.Put(kEnv, older);
  memory_.Put(R"(SYSTEM\CurrentControlSet\Services\kubelet)", list);
  Import();
  MustApply(memory_, NothingDesired());
  EXPECT_FALSE(memory_.At(kEnv, "HTTP_PROXY"));
  EXPECT_FALSE(memory_.At(R"(SYSTEM\CurrentControlSet\Services\kubelet)", "Environment"));
}

TEST_F(ScriptRan, ACertificateThatNoPayloadHoldsIsNamedAndStays) {
  const auto last = desired_.certificates.front().certificate;
  auto imported = ImportScriptState(machine_, [](Store, std::string_view) { return std::nullopt; }, findings_);
  ASSERT_TRUE(imported);
  EXPECT_THAT(findings_, SizeIs(2));
  EXPECT_EQ(findings_[0].code, "script-certificate");
  EXPECT_EQ(findings_[0].where, "ROOT/" + last.sha1);
  EXPECT_THAT(findings_[0].message, HasSubstr("certutil -delstore ROOT " + last.sha1));
  MustApply(memory_, NothingDesired());
  EXPECT_TRUE(memory_.content().certificates[Store::kRoot].contains(last.der));
}

TEST_F(ScriptRan, ALookupThatAnswersWithAnotherCertificateIsNotBelieved) {
  auto imported = ImportScriptState(
      machine_, [](Store, std::string_view) { return std::optional<std::string>("another"); }, findings_);
  ASSERT_TRUE(imported);
  EXPECT_THAT(findings_, SizeIs(2));
}

TEST_F(ScriptRan, ItemsOfTheLedgerStay) {
  const Ledger own = {{"env:HTTP_PROXY", {Sz("HTTP_PROXY", "first"), Sz("HTTP_PROXY", "ours"), {}}}};
  ASSERT_TRUE(SaveLedger(machine_.state, own));
  Import();
  EXPECT_EQ(LoadLedger(machine_.state)->at("env:HTTP_PROXY"), own.at("env:HTTP_PROXY"));
}

TEST_F(ScriptRan, ItsRebootIsOursWhileThatBootLasts) {
  const std::string key = R"(SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters)";
  const MemoryMachine start = memory_;
  const auto pending_at = [&](const std::optional<std::uint32_t>& counter) {
    MemoryMachine memory = start;
    if (counter) memory.Put(key, {"BootId", RegType::kDword, images::EncodeDword(*counter)});
    machine::Machine machine = memory.Ports();
    EXPECT_TRUE(ImportScriptState(machine, LookupIn(desired_.certificates), findings_).value());
    return RebootPending(machine).value();
  };
  EXPECT_TRUE(pending_at(7));
  EXPECT_FALSE(pending_at(8)) << "it booted since";
  EXPECT_TRUE(pending_at({})) << "it can't be told";
}

TEST_F(ScriptRan, TheNextOfItsThreeFilesServesWhereOneIsDamaged) {
  const std::string good = memory_.files().at("script-state.json");
  memory_.files() = {{"script-state.json", "{\"sche"}, {"script-state.json.old", good}};
  EXPECT_TRUE(Import());
  EXPECT_THAT(memory_.files(), UnorderedElementsAre(Key("ledger.json"), Key("reboot.json")));
  memory_.files() = {{"script-state.json.new", "{\"sche"}};
  EXPECT_FALSE(Import()) << "it was killed before it changed anything";
  memory_.files() = {{"script-state.json", "{\"sche"}, {"script-state.json.new", "{"}};
  const auto failed = ImportScriptState(machine_, LookupIn({}), findings_);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kJson);
  EXPECT_THAT(failed.error().where, HasSubstr("script-state.json"));
}

TEST_F(ScriptRan, AnyCallMayBeTheLast) {
  const MemoryMachine start = memory_;
  MemoryMachine whole = start;
  machine::Machine ports = whole.Ports();
  ASSERT_TRUE(ImportScriptState(ports, LookupIn(desired_.certificates), findings_));
  const auto ledger = whole.files().at("ledger.json");
  for (std::size_t call = 0; call < whole.calls; ++call) {
    MemoryMachine memory = start;
    machine::Machine machine = memory.Ports();
    memory.stop_after = call;
    EXPECT_THROW((void)ImportScriptState(machine, LookupIn(desired_.certificates), findings_), PowerFailure);
    memory.stop_after = MemoryMachine::kNever;
    ASSERT_TRUE(ImportScriptState(machine, LookupIn(desired_.certificates), findings_));
    ASSERT_EQ(memory.files().at("ledger.json"), ledger);
    ASSERT_FALSE(memory.files().contains("script-state.json"));
  }
}

TEST(ScriptState, AMachineWithoutOneIsNotTouched) {
  MemoryMachine memory;
  machine::Machine machine = memory.Ports();
  Findings findings;
  EXPECT_EQ(ImportScriptState(machine, LookupIn({}), findings).value().has_value(), false);
  EXPECT_THAT(memory.log, IsEmpty());
}

TEST(ScriptState, KeysThatWereMadeAreOurs) {
  Findings findings;
  const std::string value = Text(RegValue{"WinHttpSettings", RegType::kBinary, "x"});
  const auto state =
      ReadScriptState(File({Line("winHttp", "64", "absent", value, "", "2")}), "f", LookupIn({}), findings);
  ASSERT_TRUE(state) << state.error().message;
  const std::string settings = R"(SOFTWARE\Microsoft\Windows\CurrentVersion\Internet Settings)";
  EXPECT_THAT(state->ledger.at("winHttp:64").own_keys, ElementsAre(settings, settings + R"(\Connections)"));
  EXPECT_FALSE(state->ledger.at("winHttp:64").before);
}

TEST(ScriptState, WhatTheScriptNeverWritesIsRefusedWithItsPlace) {
  const std::string value = Text(Sz("x", "y"));
  const std::string cases[] = {
      Line("teleport", "x", "absent", value),
      Line("env", "PATH", "absent", value),
      Line("env", "HTTP_PROXY", "absent", "absent"),
      Line("env", "HTTP_PROXY", "", value),
      Line("env", "HTTP_PROXY", "absent", "1:0"),
      Line("env", "HTTP_PROXY", "absent", "zz:00"),
      Line("env", "HTTP_PROXY", "absent", ":00"),
      Line("env", "HTTP_PROXY", "absent", value, "", "x"),
      Line("env", "HTTP_PROXY", "absent", value, "", "9"),
      Line("winHttp", "16", "absent", value),
      Line("serviceEnv", "kubelet", "absent", value),
      Line("serviceEnv", "a/b", "absent", value),
      Line("certificate", "ROOT/12", "absent", "present"),
      Line("certificate", "MY/0123456789012345678901234567890123456789", "absent", "present"),
      Line("certificate", "ROOT/0123456789012345678901234567890123456789", "", "present"),
      Line("generation", "payload", "", "-1"),
      Line("generation", "payload", "", "1x"),
      R"({"kind":"env","name":"HTTP_PROXY","before":"absent","after":"absent","prior":""})",
      R"({"kind":"env","name":1,"before":"absent","after":"absent","prior":"","key":""})",
  };
  for (const std::string& line : cases) {
    Findings findings;
    const auto state = ReadScriptState(File({line}), "f", LookupIn({}), findings);
    ASSERT_FALSE(state) << line;
    EXPECT_EQ(state.error().code, Code::kType) << line;
    EXPECT_THAT(state.error().where, HasSubstr("f: $.items[0]")) << line;
  }
  Findings findings;
  EXPECT_EQ(ReadScriptState("{\"schema\":2,\"items\":[]}", "f", LookupIn({}), findings).error().code, Code::kVersion);
}

}  // namespace
}  // namespace prov::reconcile
