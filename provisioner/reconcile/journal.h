// Journal: what a command makes true as a whole or not at all: operations on the machine, and the sections of the state
// record that are true afterwards. Writing the journal commits the command: if it is interrupted, the next command that
// writes completes it before it does anything else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/machine/state_record.h"
#include "provisioner/reconcile/ledger.h"
#include "provisioner/reconcile/operation.h"

namespace prov::reconcile {

// Sections of the state record.
inline constexpr std::string_view kLedgerSection = "ledger";
inline constexpr std::string_view kLastSection = "last";      // the last one that was finished, for `rollback`
inline constexpr std::string_view kRebootSection = "reboot";  // see reboot.h

using machine::kJournalFile;
using machine::kJournalPreviousFile;
using machine::Sections;

struct Transaction {
  // Of a trial, which stays open until it is confirmed: until when, and what is true then, as JSON (node/records.h).
  std::optional<std::string> trial;
  bool reboot = false;
  std::vector<Operation> operations;
  Ledger ledger_before, ledger_after;
  bool takes_back = false;  // a rollback: it is not what the next one takes back
  Sections sections = {};   // a trial has none
};

std::string TransactionJson(const Transaction& transaction);
// Errors, with `where`: json, type, hash-mismatch (the file is damaged); version (a newer program wrote it).
Result<Transaction> ParseTransaction(std::string_view text, std::string_view where);

// The open transaction, if there is one.
Result<std::optional<Transaction>> LoadJournal(machine::StateRecord& state);
// Writing the file is the commit. The second copy is written after it and deleted before it.
Result<void> SaveJournal(machine::StateRecord& state, const Transaction& transaction);
Result<void> RemoveJournal(machine::StateRecord& state);

// The last finished one, if it is known; stored as a section, it has no sections of its own.
Result<std::optional<Transaction>> LoadLast(machine::StateRecord& state);
std::string LastJson(const Transaction& transaction);

// What is ours, without what an open transaction has still to do. Empty when nothing is.
Result<Ledger> LoadLedger(machine::StateRecord& state);
std::string LedgerJson(const Ledger& ledger);

}  // namespace prov::reconcile
