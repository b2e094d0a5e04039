#include "provisioner/reconcile/journal.h"

#include <gmock/gmock.h>

#include "provisioner/base/file.h"
#include "provisioner/reconcile/transaction.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/support/paths.h"

namespace prov::reconcile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;

// What version 0.1.0 left in a state folder when it was killed in the middle of its second run, before journals had
// records.
std::string Landed(const std::string& file) {
  const auto text = ReadFile(testing_support::TestsFolder() + "/golden/state/1/" + file, 1U << 20U);
  EXPECT_TRUE(text) << file;
  return text.value_or("");
}

// A machine as it was when that journal was written.
MemoryMachine LandedMachine() {
  MemoryMachine machine;
  for (const char* file : {"applied.json", "journal.json", "last.json", "ledger.json"}) {
    machine.files()[file] = Landed(file);
  }
  const auto open = LoadJournal(machine).value();
  EXPECT_TRUE(open);
  if (!open) return machine;
  for (const Operation& operation : open->operations) {
    if (const auto* write = std::get_if<RegistryWrite>(&operation)) {
      if (write->before) machine.Put(write->key, *write->before);
    }
    if (const auto* write = std::get_if<CertificateWrite>(&operation)) {
      if (!write->add) machine.content().certificates[write->store][write->der] = true;
    }
  }
  machine.MakeDurable();
  return machine;
}

TEST(Journal, OneOfTheLandedVersionIsReplayed) {
  MemoryMachine machine = LandedMachine();
  const auto open = LoadJournal(machine).value();
  ASSERT_TRUE(open);
  ASSERT_GT(open->operations.size(), 3U);
  machine::Machine ports = machine.Ports();
  Findings findings;
  ASSERT_EQ(Recover(ports, findings), true);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "recovered");
  for (const Operation& operation : open->operations) EXPECT_EQ(Observe(ports, operation), Progress::kAfter);
  EXPECT_EQ(LoadLedger(machine), open->ledger_after);
  EXPECT_EQ(LoadLast(machine)->value().operations, open->operations);
  EXPECT_FALSE(machine.files().contains("journal.json"));
  EXPECT_EQ(machine.files().at("applied.json"), Landed("applied.json")) << "it said nothing of it";
}

TEST(Journal, OneOfTheLandedVersionIsTakenBackByItsRollback) {
  MemoryMachine machine = LandedMachine();
  const auto before = machine.content().Text();
  machine::Machine ports = machine.Ports();
  Findings findings;
  ASSERT_EQ(Rollback(ports, findings), true);
  EXPECT_EQ(machine.content().Text(), before);
  EXPECT_FALSE(machine.files().contains("last.json"));
}

TEST(Journal, WhatNeedsNoRecordsIsWrittenAsTheLandedVersionDoes) {
  for (const char* file : {"journal.json", "last.json"}) {
    EXPECT_EQ(TransactionJson(ParseTransaction(Landed(file), file).value()), Landed(file));
  }
}

TEST(Journal, RecordsSurviveItsFile) {
  Transaction transaction;
  transaction.takes_back = true;
  transaction.records = {{"applied.json", "{\n \"x\": \"\u00e4\"}\n"}, {"hold.json", std::nullopt}};
  const auto read = ParseTransaction(TransactionJson(transaction), "f");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->takes_back);
  EXPECT_EQ(read->records, transaction.records);
  EXPECT_THAT(TransactionJson(transaction), HasSubstr("\"schema\": 2"))
      << "an earlier version must not complete it without them";
}

TEST(Journal, OnlyFilesOfTheStateFolderAreRecords) {
  for (const char* name : {"../x", "a/b", "a\\b", ".x", "", "journal.json"}) {
    Transaction transaction;
    transaction.records = {{name, "x"}};
    const auto read = ParseTransaction(TransactionJson(transaction), "journal.json");
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().code, Code::kType);
  }
}

TEST(Journal, ANewerFormIsRefusedWithWords) {
  const auto read = ParseTransaction(R"({"schema": 3})", "journal.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kVersion);
  EXPECT_THAT(read.error().message, HasSubstr("is not 1 to 2: a newer version of provisioner wrote this"));
}

TEST(Records, AreWrittenWhereTheyDiffer) {
  MemoryMachine machine;
  machine.files() = {{"a.json", "a"}, {"b.json", "b"}};
  ASSERT_TRUE(CommitRecords(machine, {{"a.json", "a"}, {"c.json", std::nullopt}}));
  EXPECT_THAT(machine.log, IsEmpty());
  ASSERT_TRUE(CommitRecords(machine, {{"a.json", "a"}, {"b.json", "new"}}));
  EXPECT_EQ(machine.log.size(), 1U) << "one file is one step";
  ASSERT_TRUE(CommitRecords(machine, {{"a.json", std::nullopt}, {"b.json", "newer"}}));
  EXPECT_EQ(machine.files(), (std::map<std::string, std::string>{{"b.json", "newer"}}));
}

TEST(Records, AreTrueTogether) {
  const Records wanted = {{"a.json", std::nullopt}, {"b.json", "new"}, {"c.json", "new"}};
  MemoryMachine start;
  start.files() = {{"a.json", "old"}, {"b.json", "old"}};
  MemoryMachine done = start;
  ASSERT_TRUE(CommitRecords(done, wanted));
  for (std::size_t call = 0; call < done.calls; ++call) {
    for (const auto stop : {&MemoryMachine::stop_before, &MemoryMachine::stop_after}) {
      MemoryMachine machine = start;
      machine.*stop = call;
      EXPECT_THROW((void)CommitRecords(machine, wanted), PowerFailure) << call;
      machine.Boot(MemoryMachine::Unflushed::kLost);
      const bool is_new = ReadRecord(machine, "b.json").value() == "new";
      EXPECT_EQ(ReadRecord(machine, "a.json").value().has_value(), !is_new) << call;
      EXPECT_EQ(ReadRecord(machine, "c.json").value().has_value(), is_new) << call;
      machine::Machine ports = machine.Ports();
      Findings findings;
      ASSERT_TRUE(Finish(ports, findings));
      EXPECT_EQ(machine.files(), is_new ? done.files() : start.files()) << call;
    }
  }
}

TEST(Records, OfAnInterruptedRunAreNotLostToLaterOnes) {
  MemoryMachine machine;
  Transaction open;
  open.records = {{"a.json", "a"}, {"b.json", "b"}};
  ASSERT_TRUE(SaveJournal(machine, open));
  ASSERT_TRUE(CommitRecords(machine, {{"b.json", "newer"}}));
  EXPECT_EQ(ReadRecord(machine, "b.json").value(), "newer");
  machine::Machine ports = machine.Ports();
  Findings findings;
  ASSERT_EQ(Finish(ports, findings), true);
  EXPECT_EQ(machine.files(), (std::map<std::string, std::string>{{"a.json", "a"}, {"b.json", "newer"}}));
}

TEST(Records, ThatAreWrittenDuringATrialLeaveItAsItWas) {
  MemoryMachine machine;
  Transaction trial;
  trial.trial = true;
  trial.records = {{"trial.json", "until"}, {"b.json", "old"}};  // its beginning was interrupted
  ASSERT_TRUE(SaveJournal(machine, trial));
  ASSERT_TRUE(CommitRecords(machine, {{"b.json", "new"}, {"c.json", "new"}}));
  EXPECT_EQ(machine.files().at("b.json"), "new");
  EXPECT_EQ(machine.files().at("c.json"), "new");
  const auto open = LoadJournal(machine).value();
  ASSERT_TRUE(open);
  EXPECT_TRUE(open->trial);
  EXPECT_EQ(open->records, (Records{{"trial.json", "until"}}));
  machine::Machine ports = machine.Ports();
  Findings findings;
  ASSERT_EQ(FinishRun(ports, findings), false);
  ASSERT_EQ(Finish(ports, findings), true);
  EXPECT_EQ(machine.files().at("trial.json"), "until");
  EXPECT_TRUE(LoadJournal(machine)->value().trial) << "it stays open";
  ASSERT_EQ(Finish(ports, findings), false);
}

}  // namespace
}  // namespace prov::reconcile
