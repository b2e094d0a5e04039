// Reading the record that templates/Apply-Egress.ps1 writes.
#include "provisioner/reconcile/script_state.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/reconcile/engine_helpers.h"
#include "tests/reconcile/script_run.h"
#include "tests/support/result.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing_support::MemoryMachine;

Result<std::optional<ScriptState>> Load(const std::string& file) {
  MemoryMachine memory;
  memory.files()["script-state.json"] = file;
  machine::Machine machine = memory.Ports();
  auto loaded = LoadScriptState(machine);
  EXPECT_THAT(memory.log, testing::IsEmpty()) << "reads only";
  EXPECT_EQ(memory.files().at("script-state.json"), file);
  return loaded;
}

// A record with one item.
std::string RecordOf(std::string_view key, std::string_view rest) {
  return fmt::format(R"({{"schema":1,"generation":1,"reboot":"","items":[{{"key":"{}",{}}}]}})", key, rest);
}

TEST(ScriptState, WhatTheScriptWroteIsTheLedger) {
  const DesiredState desired = Desired();
  MemoryMachine memory;
  PutWindows(memory);
  machine::Machine machine = memory.Ports();
  ScriptRun(machine).Apply(desired);
  const auto state = Must(Must(LoadScriptState(machine)));
  EXPECT_EQ(state.generation, 3);
  EXPECT_EQ(state.reboot, "counter 7");
  EXPECT_THAT(state.ledger, SizeIs(desired.certificates.size() + 3 + 2 + 2 + 2));
}

// As PowerShell writes it; names of services have any case there and are one name in the ledger.
TEST(ScriptState, ValuesNamesAndKeysAreThoseOfTheLedger) {
  const auto state =
      Must(Load("{\r\n  \"schema\":  1,\r\n"
                R"("generation": 7, "reboot": "counter 12", "items": [)"
                R"({"key":"env:NO_PROXY","before":{"name":"no_proxy","type":2,"data":"YQAA"},)"
                R"("ours":{"name":"NO_PROXY","type":1,"data":"YgAAAA=="},"prior":null,"ownKeys":[]},)"
                R"({"key":"serviceEnv:It's \"\u03c3\"","before":null,)"
                R"("ours":{"name":"Environment","type":7,"data":"QQA="},"prior":null,"ownKeys":[]},)"
                R"({"key":"serviceEnv:A\\parameters","before":null,)"
                R"("ours":{"name":"appenvironmentextra","type":7,"data":"QQA="},"prior":null,"ownKeys":[]}]})"));
  const Ledger expected = {
      {"env:NO_PROXY",
       {RegValue{"NO_PROXY", RegType::kExpandSz, std::string("a\0\0", 3)},
        RegValue{"NO_PROXY", RegType::kSz, std::string("b\0\0\0", 4)},
        {}}},
      {"serviceEnv:a\\parameters",
       {std::nullopt, RegValue{"AppEnvironmentExtra", RegType::kMultiSz, std::string("A\0", 2)}, {}}},
      {"serviceEnv:it's \"\u03a3\"",
       {std::nullopt, RegValue{"Environment", RegType::kMultiSz, std::string("A\0", 2)}, {}}}};
  EXPECT_EQ(state->ledger, expected);
  EXPECT_EQ(state->reboot, "counter 12");
  EXPECT_EQ(state->generation, 7);
}

TEST(ScriptState, KeysThatWereMadeAreOurs) {
  const std::string settings = R"(SOFTWARE\Microsoft\Windows\CurrentVersion\Internet Settings)";
  const std::string connections = settings + R"(\Connections)";
  const auto state = Must(Load(ScriptFile(
      {{"winHttp:64", {}, RegValue{"WinHttpSettings", RegType::kBinary, "x"}, {}, {settings, connections}}})));
  EXPECT_THAT(state->ledger.at("winHttp:64").own_keys, ElementsAre(settings, connections));
  EXPECT_FALSE(state->ledger.at("winHttp:64").before);
}

TEST(ScriptState, WhatTheScriptNeverWritesIsRefusedWithItsPlace) {
  const auto entry = [](std::string_view ours, std::string_view own_keys = "[]", std::string_view before = "null") {
    return fmt::format(R"("before":{},"ours":{},"prior":null,"ownKeys":{})", before, ours, own_keys);
  };
  const std::string value = R"({"name":"x","type":1,"data":"eAAAAA=="})";
  const std::pair<std::string, std::string> cases[] = {
      {"teleport:x", entry(value)},
      {"env", entry(value)},
      {"env:PATH", entry(value)},
      {"env:http_proxy", entry(value)},
      {"env:HTTP_PROXY", entry("null")},
      {"env:HTTP_PROXY", entry(R"({"name":"x","type":1,"data":"0"})")},
      {"env:HTTP_PROXY", entry(R"({"name":"x","type":1})")},
      {"env:HTTP_PROXY", entry(R"("1:78000000")")},
      {"env:HTTP_PROXY", entry(value, "[]", R"({"name":"x","type":"1","data":""})")},
      {"env:HTTP_PROXY", entry(value, R"(["SOFTWARE"])")},
      {"env:HTTP_PROXY", entry(value, "{}")},
      {"env:HTTP_PROXY", R"("before":null,"ours":{"name":"x","type":1,"data":""})"},
      {"winHttp:16", entry(value)},
      {"winInet:policy", entry(value)},
      {"hns:00000000-0000-0000-0000-000000000001", entry(value)},
      {"winHttp:64", entry(value, R"(["a","b","c","d","e","f","g","h","i"])")},
      {"serviceEnv:a/b", entry(value)},
      {"serviceEnv:", entry(value)},
      {R"(serviceEnv:a\\b)", entry(value)},
      {R"(serviceEnv:\\parameters)", entry(value)},
      {"serviceSecurity:a", entry(value, "[]", value)},
      {"serviceSecurity:a", entry(value)},
      {"certificate:ROOT:12", entry(value)},
      {"certificate:ROOT:0123456789012345678901234567890123456789", entry(value)},
      {"certificate:MY:0123456789012345678901234567890123456789", entry(value)},
  };
  for (const auto& [key, rest] : cases) {
    const auto state = Load(RecordOf(key, rest));
    ASSERT_FALSE(state) << key << rest;
    EXPECT_EQ(state.error().code, Code::kType) << key << rest;
    EXPECT_THAT(state.error().where, HasSubstr("script-state.json: $.items[0]")) << key << rest;
  }
  for (const char* const text : {R"({"schema":1,"items":[]})", R"({"schema":1,"generation":1,"reboot":""})",
                                 R"({"schema":1,"generation":1,"reboot":1,"items":[]})"}) {
    EXPECT_EQ(Load(text).error().code, Code::kType) << text;
  }
  EXPECT_EQ(Load(R"({"schema":2,"items":[]})").error().code, Code::kVersion);
}

TEST(ScriptState, WhereItIsDamagedTheErrorSaysWhatToDo) {
  const Error damaged = ErrorIn(Load("{\"sche"));
  EXPECT_EQ(damaged.code, Code::kJson);
  EXPECT_THAT(damaged.where, HasSubstr("script-state.json"));
  EXPECT_THAT(damaged.message, HasSubstr("nothing was changed"));
  EXPECT_THAT(damaged.message, HasSubstr(R"(restore it from a backup)"));
  EXPECT_THAT(damaged.message, HasSubstr(R"(%ProgramData%\Provisioner\script-state.json)"));
}

}  // namespace
}  // namespace prov::reconcile
