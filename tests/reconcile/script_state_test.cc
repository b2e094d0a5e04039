// Records as templates/Install-Egress.ps1 and UserData-Install.ps1 write them, read.
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

TEST(ScriptState, BothScriptsRecordTheSame) {
  const DesiredState desired = Desired();
  std::vector<Ledger> ledgers;
  for (const Script script : {Script::kInstallEgress, Script::kUserData}) {
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
  EXPECT_EQ(ledgers[0], ledgers[1]);
}

TEST(ScriptState, ACertificateThatWasRemovedSinceIsNamed) {
  const std::string sha1 = "0123456789abcdef0123456789abcdef01234567";
  const auto state = Load(ScriptFile({Line("certificate", "ROOT/" + sha1, "absent", "present")}));
  ASSERT_TRUE(state) << state.error().message;
  ASSERT_THAT((*state)->gone, SizeIs(1));
  EXPECT_EQ((*state)->gone[0].name, "ROOT 0123456789ABCDEF0123456789ABCDEF01234567");
  EXPECT_TRUE((*state)->gone[0].missing);
  EXPECT_TRUE((*state)->ledger.empty());
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
  EXPECT_EQ(Load("{\"schema\":2,\"items\":[]}").error().code, Code::kVersion);
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
