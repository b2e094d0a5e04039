#include "provisioner/reconcile/journal.h"

#include <gmock/gmock.h>

#include "provisioner/reconcile/transaction.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/support/result.h"

namespace prov::reconcile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing_support::MemoryMachine;

// A section as a document.
std::string SectionText(const std::string& text) { return "\"" + text + "\"\n"; }

TEST(Journal, SectionsSurviveItsFile) {
  Transaction transaction;
  transaction.is_rollback = true;
  transaction.sections = {{"applied", "{\n  \"x\": \"\u00e4\"\n}\n"}, {"hold", std::nullopt}};
  const auto read = Must(ParseTransaction(TransactionJson(transaction), "f"));
  EXPECT_TRUE(read.is_rollback);
  EXPECT_EQ(read.sections, transaction.sections);
}

TEST(Journal, ANewerFormIsRefusedWithWords) {
  const Error read = ErrorIn(ParseTransaction(R"({"schema": 2})", "journal.json"));
  EXPECT_EQ(read.code, Code::kVersion);
  EXPECT_THAT(read.message, HasSubstr("is not 1: a newer version of provisioner wrote this"));
}

TEST(Journal, ADamagedOneIsNamedWhateverWasHit) {
  Transaction transaction;
  transaction.ledger_after["env:X"] = {std::nullopt, images::RegValue{"X", images::RegType::kSz, "ab"}, {}};
  std::string text = TransactionJson(transaction);
  ASSERT_TRUE(ParseTransaction(text, "journal.json"));
  const std::string good = text;
  text.replace(text.find("env:X"), 5, "env:Y");
  const Error read = ErrorIn(ParseTransaction(text, "journal.json"));
  EXPECT_EQ(read.code, Code::kHashMismatch);
  EXPECT_EQ(read.where, "journal.json");
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

TEST(Journal, ItsSectionsAreTrueWhenItIsFinished) {
  MemoryMachine machine;
  ASSERT_TRUE(machine.State().Commit({{"a", SectionText("old")}, {"b", SectionText("old")}}));
  Transaction open;
  open.sections = {{"a", SectionText("new")}, {"b", std::nullopt}};
  ASSERT_TRUE(SaveJournal(machine.State(), open));
  machine::Machine ports = machine.Ports();
  Findings findings;
  ASSERT_TRUE(Finish(ports, findings));
  EXPECT_THAT(machine.Sections(), ElementsAre(Pair("a", SectionText("new"))));
  EXPECT_FALSE(LoadJournal(machine.State())->has_value());
}

TEST(Journal, ATrialStaysOpenUntilItIsConfirmed) {
  MemoryMachine machine;
  Transaction trial;
  trial.trial = "{\n  \"until\": 7\n}\n";
  ASSERT_TRUE(SaveJournal(machine.State(), trial));
  machine::Machine ports = machine.Ports();
  Findings findings;
  const auto open = Must(Finish(ports, findings).value().trial);
  EXPECT_EQ(open.trial, trial.trial);
  ASSERT_TRUE(LoadJournal(machine.State())->has_value());
  ASSERT_TRUE(Confirm(ports, open, {{"a", SectionText("new")}}));
  EXPECT_FALSE(LoadJournal(machine.State())->has_value());
  EXPECT_EQ(machine.Section("a"), SectionText("new"));
}

}  // namespace
}  // namespace prov::reconcile
