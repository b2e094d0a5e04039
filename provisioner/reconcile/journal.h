// Journal: what a command makes true, all of it or nothing: operations on the machine, and the sections of the state
// record that say what is true then. Writing it is the commit of the command: from there on its sections count, whether
// the record has them already or not, and whoever comes next completes it.
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
  // True since this was written. A trial has none once all of it is done and written.
  Sections sections = {};
};

std::string TransactionJson(const Transaction& transaction);
// Takes the forms that earlier versions wrote, too.
Result<Transaction> ParseTransaction(std::string_view text, std::string_view where);

// The open transaction, if there is one.
Result<std::optional<Transaction>> LoadJournal(machine::StateRecord& state);
// Writing its file is the commit; a second copy of it comes after, and goes before it.
Result<void> SaveJournal(machine::StateRecord& state, const Transaction& transaction);
Result<void> RemoveJournal(machine::StateRecord& state);

// The last finished one, if it is known; as a section it has no sections of its own.
Result<std::optional<Transaction>> LoadLast(machine::StateRecord& state);
std::string LastJson(const Transaction& transaction);

// What is ours without what an open transaction is still to do. Empty when there is none.
Result<Ledger> LoadLedger(machine::StateRecord& state);
std::string LedgerJson(const Ledger& ledger);

// A section as the open transaction says, or where that says nothing, as it is.
Result<std::optional<JsonNode>> ReadSection(machine::StateRecord& state, std::string_view section);

// All of them become true in one step, without any operation. Nothing is written where nothing differs.
Result<void> CommitSections(machine::StateRecord& state, const Sections& sections);

// `more` in addition, and instead of those of the same name.
void AddSections(Sections& sections, Sections more);

}  // namespace prov::reconcile
