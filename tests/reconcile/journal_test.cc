#include "provisioner/reconcile/journal.h"

#include <gmock/gmock.h>

#include "provisioner/reconcile/transaction.h"
#include "tests/reconcile/engine_helpers.h"

namespace prov::reconcile {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;

// A section as a document.
std::string SectionText(const std::string& text) { return "\"" + text + "\"\n"; }

std::optional<std::string> Read(MemoryMachine& machine, std::string_view section) {
  const auto found = ReadSection(machine.State(), section).value();
  return found ? std::optional(found->Json()) : std::nullopt;
}

TEST(Journal, SectionsSurviveItsFile) {
  Transaction transaction;
  transaction.takes_back = true;
  transaction.sections = {{"applied", "{\n  \"x\": \"\u00e4\"\n}\n"}, {"hold", std::nullopt}};
  const auto read = ParseTransaction(TransactionJson(transaction), "f");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->takes_back);
  EXPECT_EQ(read->sections, transaction.sections);
}

TEST(Journal, ANewerFormIsRefusedWithWords) {
  const auto read = ParseTransaction(R"({"schema": 2})", "journal.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kVersion);
  EXPECT_THAT(read.error().message, HasSubstr("is not 1: a newer version of provisioner wrote this"));
}

TEST(Journal, ADamagedOneIsNamedWhateverWasHit) {
  Transaction transaction;
  transaction.ledger_after["env:X"] = {std::nullopt, images::RegValue{"X", images::RegType::kSz, "ab"}, {}};
  std::string text = TransactionJson(transaction);
  ASSERT_TRUE(ParseTransaction(text, "journal.json"));
  const std::string good = text;
  text.replace(text.find("env:X"), 5, "env:Y");
  const auto read = ParseTransaction(text, "journal.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kHashMismatch);
  EXPECT_EQ(read.error().where, "journal.json");
  for (std::size_t at = 0; at + 1 < good.size(); ++at) {  // the last byte is a line feed
    text = good;
    text[at] = static_cast<char>(text[at] ^ 2);
    ASSERT_FALSE(ParseTransaction(text, "journal.json")) << at;
  }
}

TEST(Journal, HasACopyThatComesAfterItAndGoesBeforeIt) {
  MemoryMachine machine;
  Transaction transaction;
  transaction.sections = {{"a", SectionText("a")}};
  ASSERT_TRUE(SaveJournal(machine.State(), transaction));
  EXPECT_THAT(machine.log, ElementsAre("Write journal.json", "Write journal.previous.json"));
  EXPECT_EQ(machine.files().at("journal.previous.json"), machine.files().at("journal.json"));
  machine.log.clear();
  ASSERT_TRUE(RemoveJournal(machine.State()));
  EXPECT_THAT(machine.log, ElementsAre("Remove journal.previous.json", "Remove journal.json"));
  EXPECT_TRUE(machine.files().empty());
}

TEST(CommitSections, TakesOneStep) {
  const Sections wanted = {{"a", std::nullopt}, {"b", SectionText("new")}, {"c", SectionText("new")}};
  MemoryMachine start;
  ASSERT_TRUE(CommitSections(start.State(), {{"a", SectionText("old")}, {"b", SectionText("old")}}));
  MemoryMachine done = start;
  done.calls = 0;
  done.log.clear();
  ASSERT_TRUE(CommitSections(done.State(), wanted));
  EXPECT_THAT(done.log, ElementsAre("Write state.previous.json", "Write state.json"));
  for (std::size_t call = 0; call < done.calls; ++call) {
    for (const auto stop : {&MemoryMachine::stop_before, &MemoryMachine::stop_after}) {
      MemoryMachine machine = start;
      machine.calls = 0;
      machine.*stop = call;
      EXPECT_THROW((void)CommitSections(machine.State(), wanted), PowerFailure) << call;
      machine.Boot(MemoryMachine::Unflushed::kLost);
      EXPECT_THAT(machine.Sections(), AnyOf(start.Sections(), done.Sections())) << call;
      ASSERT_TRUE(CommitSections(machine.State(), wanted)) << call;
      EXPECT_EQ(machine.files(), done.files()) << call;
    }
  }
}

TEST(CommitSections, OfAnInterruptedRunAreNotLostToLaterOnes) {
  MemoryMachine machine;
  Transaction open;
  open.sections = {{"a", SectionText("a")}, {"b", SectionText("b")}};
  ASSERT_TRUE(SaveJournal(machine.State(), open));
  ASSERT_TRUE(CommitSections(machine.State(), {{"b", SectionText("newer")}}));
  EXPECT_EQ(Read(machine, "b"), SectionText("newer"));
  machine::Machine ports = machine.Ports();
  Findings findings;
  ASSERT_EQ(Finish(ports, findings), true);
  EXPECT_THAT(machine.Sections(), ElementsAre(Pair("a", SectionText("a")), Pair("b", SectionText("newer"))));
}

TEST(CommitSections, DuringATrialLeaveItAsItWas) {
  for (const bool interrupted : {false, true}) {
    MemoryMachine machine;
    Transaction trial;
    trial.trial = true;
    if (interrupted)
      trial.sections = {{"trial", SectionText("until")}, {"b", SectionText("old")}};  // its beginning was
    ASSERT_TRUE(SaveJournal(machine.State(), trial));
    ASSERT_TRUE(CommitSections(machine.State(), {{"b", SectionText("new")}, {"c", SectionText("new")}}));
    EXPECT_EQ(Read(machine, "b"), SectionText("new"));
    EXPECT_EQ(Read(machine, "c"), SectionText("new"));
    machine::Machine ports = machine.Ports();
    Findings findings;
    ASSERT_EQ(FinishRun(ports, findings), false);
    ASSERT_EQ(Finish(ports, findings), interrupted);
    EXPECT_TRUE(LoadJournal(machine.State())->value().trial) << "it stays open";
    ASSERT_EQ(Finish(ports, findings), false);
    EXPECT_EQ(machine.Section("b"), SectionText("new"));
    EXPECT_EQ(machine.Section("c"), SectionText("new"));
    EXPECT_EQ(machine.Section("trial").has_value(), interrupted);
  }
}

}  // namespace
}  // namespace prov::reconcile
