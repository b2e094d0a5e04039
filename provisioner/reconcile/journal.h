// Journal: the operations of a command and the sections of the state record that are written with them, as one
// transaction. Writing the journal commits the command. If it is interrupted, the next command that writes completes it
// before it does anything else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provisioner/machine/state_record.h"
#include "provisioner/reconcile/operation.h"

namespace prov::reconcile {

// Sections of the state record.
inline constexpr std::string_view kLedgerSection = "ledger";
inline constexpr std::string_view kLastSection = "last";      // the last finished transaction, for `rollback`
inline constexpr std::string_view kRebootSection = "reboot";  // see reboot.h

using machine::kJournalFile;
using machine::kJournalPreviousFile;
using machine::Sections;

struct Transaction : Run {
  // For a trial, which stays open until it is confirmed: its deadline, and what is recorded on confirmation, as JSON
  // (node/trial.h).
  std::optional<std::string> trial;
  Sections sections;  // a trial has none
};

std::string TransactionJson(const Transaction& transaction);
// Errors, with `where`: json, type, hash-mismatch (the file is damaged); version (a newer program wrote it).
Result<Transaction> ParseTransaction(std::string_view text, std::string_view where);

// The open transaction, if there is one.
Result<std::optional<Transaction>> LoadJournal(machine::StateRecord& state);
// Writing the file is the commit. The second copy is written after it and deleted before it.
Result<void> SaveJournal(machine::StateRecord& state, const Transaction& transaction);
Result<void> RemoveJournal(machine::StateRecord& state);

// The last finished run, if it is known. It is stored as a section.
Result<std::optional<Run>> LoadLast(machine::StateRecord& state);
std::string LastJson(const Run& run);

// What is ours, without what an open transaction has still to do. Empty when nothing is.
Result<Ledger> LoadLedger(machine::StateRecord& state);
std::string LedgerJson(const Ledger& ledger);

}  // namespace prov::reconcile
