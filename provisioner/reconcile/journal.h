// Journal: what a command makes true as a whole or not at all: operations on the machine, and the sections of the state
// record that are true afterwards. Writing the journal commits the command. From then on its sections count, whether
// the record holds them yet or not, and the next run completes what is left.
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
  bool trial = false;  // stays open until confirmed; the next run takes an open one back
  bool reboot = false;
  std::vector<Operation> operations;
  Ledger ledger_before, ledger_after;
  bool takes_back = false;  // a rollback: it is not what the next one takes back
  // Sections that are true since this was written. A trial has none until all of it is carried out and recorded.
  Sections sections = {};
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

// A section as the open transaction has it; if that does not mention it, as the state record has it.
Result<std::optional<JsonNode>> ReadSection(machine::StateRecord& state, std::string_view section);

// Makes all of them true in one step, without any operation. Nothing is written if nothing differs.
Result<void> CommitSections(machine::StateRecord& state, const Sections& sections);

// Adds `more`; these replace sections of the same name.
void AddSections(Sections& sections, Sections more);

}  // namespace prov::reconcile
