// Each command on a machine that a payload's script set up: alone, after another command, and stopped at any call.
#include <gmock/gmock.h>

#include "provisioner/reconcile/journal.h"
#include "tests/cli/machine_commands_fixture.h"
#include "tests/cli/settings_of_words.h"
#include "tests/reconcile/script_run.h"
#include "tests/support/amount.h"

namespace prov::cli {
namespace {

using machine_commands::kPassword;
using machine_commands::MachineCommands;
using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Key;
using testing_support::MemoryHost;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;

class ScriptCommands : public MachineCommands {
 protected:
  ScriptCommands() {
    host_.memory.Put(reconcile::kContainerd, reconcile::ServiceList({"A=1", "HTTP_PROXY=http://before:1"}));
    host_.memory.Put(reconcile::kEnv, reconcile::Sz("NO_PROXY", "before"));
    before_ = host_.memory.content().Text();
    const auto settings = SettingsOf(host_, Words());
    EXPECT_TRUE(settings) << settings.error().message;
    reconcile::ScriptRun(host_.memory.Ports())
        .Apply(reconcile::MakeDesiredState(settings->config, settings->options).value());
    EXPECT_THAT(host_.memory.content().Text(), HasSubstr(kPassword));
    record_ = host_.memory.files();
    host_.memory.log.clear();
    host_.memory.calls = 0;
  }

  std::vector<std::string> Words() const { return {source_, "--service=containerd"}; }

  void Damage() {
    host_.memory.files() = {{"script-state.json", "{\"sche"}};
    record_ = host_.memory.files();
  }

  bool HasRecord() { return host_.memory.files().contains("script-state.json"); }

  // What the machine says is ours: never nothing while something of the script is there.
  void ExpectRecord(std::size_t call) {
    if (host_.memory.content().Text() == before_) return;
    const auto& files = host_.memory.files();
    EXPECT_TRUE(files.contains("script-state.json") || host_.memory.Section(reconcile::kLedgerSection))
        << "call " << call;
  }

  // Cuts `words` at each of its calls; then `remove --all` has to end as if nobody had ever been there.
  void CutAndRemove(Command (*make)(), const std::vector<std::string>& words) {
    const MemoryHost start = host_;
    ASSERT_TRUE(Run(make, words));
    const std::size_t calls = host_.memory.calls;
    ASSERT_GT(calls, 20U);
    for (std::size_t call = 0; call < calls; call += testing_support::CallStride()) {
      for (const auto stop : {&MemoryMachine::stop_before, &MemoryMachine::stop_after}) {
        host_ = start;
        host_.memory.*stop = call;
        EXPECT_THROW((void)Run(make, words), PowerFailure) << call;
        host_.memory.Boot(call % 2 == 0 ? MemoryMachine::Unflushed::kLost : MemoryMachine::Unflushed::kKept);
        ExpectRecord(call);
        const auto removed = Run(RemoveCommand, {"--all"});
        ASSERT_TRUE(removed) << call << ": " << removed.error().message;
        ASSERT_EQ(host_.memory.content().Text(), before_) << "call " << call;
        ASSERT_TRUE(host_.state_removed) << call;
      }
    }
  }

  std::string before_;
  std::map<std::string, std::string> record_;
};

TEST_F(ScriptCommands, StatusShowsWhatIsOursAndWhereThatIsRecorded) {
  const auto status = Json(StatusCommand, {});
  EXPECT_GT(status["ledger"].MemberCount(), 5U);
  EXPECT_TRUE(status["ledger"]["env:NO_PROXY"]["hadValueBefore"].GetBool());
  EXPECT_FALSE(status["ledger"]["env:HTTP_PROXY"]["hadValueBefore"].GetBool());
  EXPECT_EQ(status["drift"].Size(), 0U);
  EXPECT_TRUE(status["rebootRequired"].GetBool());
  EXPECT_THAT(status["scriptRecord"]["file"].GetString(), HasSubstr(R"(Provisioner\script-state.json)"));
  EXPECT_TRUE(status["scriptRecord"]["error"].IsNull());
  const auto text = Run(StatusCommand, {});
  EXPECT_THAT(text->out, HasSubstr(R"(record   %ProgramData%\Provisioner\script-state.json)"));
  EXPECT_THAT(text->findings, Contains(AllOf(Field(&Finding::code, "script-state"),
                                             Field(&Finding::message, HasSubstr("next apply or reconcile")))));
  host_.memory.Erase(reconcile::kEnv, "HTTP_PROXY");
  const auto drifted = Json(StatusCommand, {}, 4);
  ASSERT_EQ(drifted["drift"].Size(), 1U);
  EXPECT_STREQ(drifted["drift"][0]["name"].GetString(), "HTTP_PROXY");
  EXPECT_TRUE(drifted["drift"][0]["missing"].GetBool());
  EXPECT_EQ(host_.memory.files(), record_) << "nothing is written";
  ASSERT_TRUE(Run(RemoveCommand, {}));
  EXPECT_TRUE(Json(StatusCommand, {})["scriptRecord"].IsNull());
}

TEST_F(ScriptCommands, ApplyFirstBootAndReconcileTakeTheRecordOver) {
  const MemoryHost start = host_;
  const auto check = [&](std::string_view command) {
    EXPECT_FALSE(HasRecord()) << command << ": Apply-Egress.ps1 -Undo says who keeps the record now";
    const auto status = Json(StatusCommand, {});
    EXPECT_TRUE(status["scriptRecord"].IsNull()) << command;
    EXPECT_GT(status["ledger"].MemberCount(), 5U) << command;
    ASSERT_TRUE(Run(RemoveCommand, {"--all"})) << command;
    EXPECT_EQ(host_.memory.content().Text(), before_) << command;
  };
  ASSERT_TRUE(Run(ApplyCommand, Words()));
  check("apply");
  host_ = start;
  ASSERT_TRUE(Run(FirstBootCommand, Words()));
  check("first-boot");
  host_ = start;
  ASSERT_TRUE(Run(ServiceCommand, {"install", "--source", source_, "--service", "containerd"}));
  EXPECT_TRUE(HasRecord()) << "nothing is applied yet";
  ASSERT_TRUE(Run(ReconcileCommand, {"--once"}));
  check("reconcile --once");
}

TEST_F(ScriptCommands, ADamagedRecordIsNeverRemoved) {
  ASSERT_TRUE(Run(ServiceCommand, {"install", "--source", source_}));
  Damage();
  const std::string content = host_.memory.content().Text();
  using Words = std::vector<std::string>;
  const std::pair<Command (*)(), Words> commands[] = {{RemoveCommand, {"--all"}}, {FirstBootCommand, {source_}}};
  for (const auto& [make, words] : commands) {
    const auto refused = Run(make, words);
    ASSERT_FALSE(refused) << make().spec.name;
    EXPECT_EQ(InfoOf(refused.error().code).exit, 11) << make().spec.name;
    EXPECT_THAT(refused.error().where, HasSubstr("script-state.json"));
    EXPECT_THAT(refused.error().message, HasSubstr("restore it from a backup, or undo by hand"));
    EXPECT_EQ(host_.memory.content().Text(), content);
    EXPECT_EQ(host_.memory.files(), record_) << make().spec.name;
    EXPECT_FALSE(host_.state_removed);
    EXPECT_THAT(host_.services_by_name, Contains(Key("provisioner"))) << make().spec.name;
  }
  const auto status = Json(StatusCommand, {}, 4);
  EXPECT_THAT(status["scriptRecord"]["error"].GetString(), HasSubstr("can't be read"));
  EXPECT_THAT(Run(StatusCommand, {})->out, HasSubstr(R"(damaged  %ProgramData%\Provisioner\script-state.json)"));
}

TEST_F(ScriptCommands, CutAtAnyCallTheNextRemoveAllFinishes) {
  const MemoryHost start = host_;
  CutAndRemove(RemoveCommand, {"--all"});
  host_ = start;
  CutAndRemove(RemoveCommand, {});
  host_ = start;
  CutAndRemove(RollbackCommand, {});
  host_ = start;
  CutAndRemove(ApplyCommand, Words());
}

TEST_F(ScriptCommands, WhereAnyCallFailsTheNextRemoveAllFinishes) {
  const MemoryHost start = host_;
  ASSERT_TRUE(Run(RemoveCommand, {"--all"}));
  const std::size_t calls = host_.memory.calls;
  for (std::size_t call = 0; call < calls; call += testing_support::CallStride()) {
    host_ = start;
    host_.memory.fail_at = call;
    const bool removed = Run(RemoveCommand, {"--all"}).has_value();
    // Nothing is decided by that file, and it goes with its folder.
    EXPECT_EQ(removed, host_.memory.failed_call.ends_with(" activity.json")) << host_.memory.failed_call;
    EXPECT_EQ(host_.state_removed, removed) << call;
    host_.memory.fail_at = MemoryMachine::kNever;
    ASSERT_TRUE(Run(RemoveCommand, {"--all"})) << call;
    ASSERT_EQ(host_.memory.content().Text(), before_) << call;
  }
}

}  // namespace
}  // namespace prov::cli
