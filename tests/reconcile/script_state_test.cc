// Reading the records that templates/Install-Egress.ps1 and UserData-Install.ps1 write.
#include "provisioner/reconcile/script_state.h"

#include <gmock/gmock.h>

#include "tests/reconcile/engine_helpers.h"
#include "tests/reconcile/script_run.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing_support::MemoryMachine;

std::string Line(std::string_view kind, std::string_view name, std::string_view before, std::string_view after,
                 std::string_view prior = "", std::string_view key = "") {
  return ScriptLine({std::string(kind), std::string(name), std::string(before), std::string(after), std::string(prior),
                     std::string(key)});
}

Result<std::optional<ScriptState>> Load(const std::string& file) {
  MemoryMachine memory;
  memory.files()["script-state.json"] = file;
  machine::Machine machine = memory.Ports();
  auto loaded = LoadScriptState(machine);
  EXPECT_THAT(memory.log, testing::IsEmpty()) << "reads only";
  EXPECT_EQ(memory.files().at("script-state.json"), file);
  return loaded;
}

// {"schema": 2} with one item, and nothing else.
std::string LedgerOf(const std::string& item, const std::string& entry) {
  return R"({"schema":2,"ledger":{")" + item + "\":" + entry + R"(},"prior":{},"reboot":"","generation":1})";
}

TEST(ScriptState, BothScriptsRecordTheSame) {
  const DesiredState desired = Desired();
  std::vector<Ledger> ledgers;
  for (const Script script :
       {Script::kInstallEgress, Script::kUserData, Script::kEarlierInstallEgress, Script::kEarlierUserData}) {
    MemoryMachine memory;
    PutWindows(memory);
    machine::Machine machine = memory.Ports();
    ScriptRun(machine, script).Apply(desired);
    const auto state = LoadScriptState(machine);
    ASSERT_TRUE(state) << state.error().where << ": " << state.error().message;
    ASSERT_TRUE(*state);
    EXPECT_EQ((*state)->generation, 3);
    EXPECT_EQ((*state)->reboot, "counter 4:07000000");
    EXPECT_THAT((*state)->ledger, SizeIs(desired.certificates.size() + 3 + 2 + 2));
    ledgers.push_back((*state)->ledger);
  }
  for (const Ledger& ledger : ledgers) EXPECT_EQ(ledger, ledgers[0]);
}

TEST(ScriptState, ACertificateThatWasRemovedSinceIsNamed) {
  const std::string sha1 = "0123456789abcdef0123456789abcdef01234567";
  for (const std::string& file :
       {ScriptFile({Line("certificate", "ROOT/" + sha1, "absent", "present")}),
        LedgerOf("certificate:ROOT:" + sha1, R"({"before":null,"ours":null,"ownKeys":[]})")}) {
    const auto state = Load(file);
    ASSERT_TRUE(state) << state.error().message;
    ASSERT_THAT((*state)->gone, SizeIs(1));
    EXPECT_EQ((*state)->gone[0].name, "ROOT 0123456789ABCDEF0123456789ABCDEF01234567");
    EXPECT_TRUE((*state)->gone[0].missing);
    EXPECT_TRUE((*state)->ledger.empty());
  }
}

// As Install-Egress.ps1 wrote it on a machine; names of services have any case there and are one name in the ledger.
TEST(ScriptState, TheLedgerOfAScriptIsTheLedger) {
  const auto state = Load(
      "{\"schema\":2,\"ledger\":{\r\n"
      R"("env:NO_PROXY":{"before":{"type":2,"hex":"610000"},"ours":{"type":1,"hex":"62000000"},)"
      R"("ownKeys":[]},)"
      "\r\n"
      R"("service:it's \u0022\u03c3\u0022":{"before":null,"ours":{"type":7,"hex":"4100"},"ownKeys":[]})"
      "\r\n},\"prior\":{\r\n\r\n},\"reboot\":\"counter 4:07000000\",\"generation\":null}\r\n");
  ASSERT_TRUE(state) << state.error().where << ": " << state.error().message;
  const Ledger expected = {{"env:NO_PROXY",
                            {RegValue{"NO_PROXY", RegType::kExpandSz, std::string("a\0\0", 3)},
                             RegValue{"NO_PROXY", RegType::kSz, std::string("b\0\0\0", 4)},
                             {}}},
                           {"service:IT'S \"\u03a3\"",
                            {std::nullopt, RegValue{"Environment", RegType::kMultiSz, std::string("A\0", 2)}, {}}}};
  EXPECT_EQ((*state)->ledger, expected);
  EXPECT_EQ((*state)->reboot, "counter 4:07000000");
  EXPECT_FALSE((*state)->generation);
}

TEST(ScriptState, KeysThatWereMadeAreOurs) {
  const std::string value = ScriptText(RegValue{"WinHttpSettings", RegType::kBinary, "x"});
  const auto state = Load(ScriptFile({Line("winHttp", "64", "absent", value, "", "2")}));
  ASSERT_TRUE(state) << state.error().message;
  const std::string settings = R"(SOFTWARE\Microsoft\Windows\CurrentVersion\Internet Settings)";
  EXPECT_THAT((*state)->ledger.at("winHttp:64").own_keys, ElementsAre(settings, settings + R"(\Connections)"));
  EXPECT_FALSE((*state)->ledger.at("winHttp:64").before);
}

TEST(ScriptState, WhatTheScriptNeverWritesIsRefusedWithItsPlace) {
  const std::string value = ScriptText(Sz("x", "y"));
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
    const auto state = Load(ScriptFile({line}));
    ASSERT_FALSE(state) << line;
    EXPECT_EQ(state.error().code, Code::kType) << line;
    EXPECT_THAT(state.error().where, HasSubstr("script-state.json: $.items[0]")) << line;
  }
  EXPECT_EQ(Load("{\"schema\":3,\"items\":[]}").error().code, Code::kVersion);
}

TEST(ScriptState, WhatTheScriptNeverWritesInItsLedgerIsRefusedWithItsPlace) {
  const auto entry = [](std::string_view ours, std::string_view own_keys = "[]", std::string_view before = "null") {
    return fmt::format(R"({{"before":{},"ours":{},"ownKeys":{}}})", before, ours, own_keys);
  };
  const std::string value = R"({"type":1,"hex":"78000000"})";
  const std::pair<std::string, std::string> cases[] = {
      {"teleport:x", entry(value)},
      {"env", entry(value)},
      {"env:PATH", entry(value)},
      {"env:HTTP_PROXY", entry("null")},
      {"env:HTTP_PROXY", entry(R"({"type":1,"hex":"0"})")},
      {"env:HTTP_PROXY", entry(R"({"type":-1,"hex":"00"})")},
      {"env:HTTP_PROXY", entry(R"({"type":4294967296,"hex":"00"})")},
      {"env:HTTP_PROXY", entry(R"({"type":1})")},
      {"env:HTTP_PROXY", entry(R"("1:78000000")")},
      {"env:HTTP_PROXY", entry(value, "[]", R"({"type":"1","hex":""})")},
      {"env:HTTP_PROXY", entry(value, R"(["SOFTWARE"])")},
      {"env:HTTP_PROXY", entry(value, "{}")},
      {"env:HTTP_PROXY", R"({"before":null,"ours":{"type":1,"hex":""}})"},
      {"env:HTTP_PROXY", "[]"},
      {"winHttp:16", entry(value)},
      {"winHttp:64", entry(value, R"(["a","b","c","d","e","f","g","h","i"])")},
      {"service:a/b", entry(value)},
      {"service:", entry(value)},
      {"serviceSecurity:a", entry(value, "[]", value)},
      {"certificate:ROOT:12", entry("null")},
      {"certificate:MY:0123456789012345678901234567890123456789", entry("null")},
      {"certificate:0123456789012345678901234567890123456789", entry("null")},
  };
  for (const auto& [item, told] : cases) {
    const auto state = Load(LedgerOf(item, told));
    ASSERT_FALSE(state) << item << told;
    EXPECT_EQ(state.error().code, Code::kType) << item << told;
    EXPECT_THAT(state.error().where, HasSubstr("script-state.json: $.ledger")) << item << told;
  }
  for (const char* const text : {R"({"schema":2,"items":[]})", R"({"schema":2,"ledger":{}})",
                                 R"({"schema":2,"ledger":{},"prior":{},"generation":-1})",
                                 R"({"schema":2,"ledger":{},"prior":{},"reboot":1})"}) {
    EXPECT_EQ(Load(text).error().code, Code::kType) << text;
  }
}

TEST(ScriptState, WhereItIsDamagedTheErrorSaysWhatToDo) {
  const auto damaged = Load("{\"sche");
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, Code::kJson);
  EXPECT_THAT(damaged.error().where, HasSubstr("script-state.json"));
  EXPECT_THAT(damaged.error().message, HasSubstr("nothing was changed"));
  EXPECT_THAT(damaged.error().message, HasSubstr(R"(restore it from a backup)"));
  EXPECT_THAT(damaged.error().message, HasSubstr(R"(%ProgramData%\Provisioner\script-state.json)"));
}

}  // namespace
}  // namespace prov::reconcile
