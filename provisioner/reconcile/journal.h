// Journal: what a command makes true, all of it or nothing: operations on the machine, and the files of the state
// folder that say what is true then. Writing it is the commit of the command: from there on its records count, whether
// their files have them already or not, and whoever comes next completes it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/reconcile/ledger.h"
#include "provisioner/reconcile/operation.h"

namespace prov::reconcile {

// Files in the state folder.
inline constexpr std::string_view kLedgerFile = "ledger.json";
inline constexpr std::string_view kJournalFile = "journal.json";
inline constexpr std::string_view kLastFile = "last.json";      // the last one that was finished, for `rollback`
inline constexpr std::string_view kRebootFile = "reboot.json";  // see reboot.h

// Files of the state folder with their contents; nullopt: the file goes.
using Records = std::map<std::string, std::optional<std::string>, std::less<>>;

struct Transaction {
  bool trial = false;  // stays open until confirmed; the next run takes an open one back
  bool reboot = false;
  std::vector<Operation> operations;
  Ledger ledger_before, ledger_after;
  bool takes_back = false;  // a rollback: it is not what the next one takes back
  // True since this was written. A trial has none once all of it is done and written.
  Records records = {};
};

std::string TransactionJson(const Transaction& transaction);
// Takes the form without records that earlier versions wrote, too.
Result<Transaction> ParseTransaction(std::string_view text, std::string_view where);

// The open transaction, if there is one.
Result<std::optional<Transaction>> LoadJournal(machine::StateFolder& state);
Result<void> SaveJournal(machine::StateFolder& state, const Transaction& transaction);

// The last finished one, if it is known.
Result<std::optional<Transaction>> LoadLast(machine::StateFolder& state);

// What is ours without what an open transaction is still to do. Empty when there is none.
Result<Ledger> LoadLedger(machine::StateFolder& state);
Result<void> SaveLedger(machine::StateFolder& state, const Ledger& ledger);

// The contents of a file as the open transaction says, or where that says nothing, as they are.
Result<std::optional<std::string>> ReadRecord(machine::StateFolder& state, std::string_view file);

// Each file that differs. Only together with the transaction that has them: a run that ends here is torn otherwise.
Result<void> WriteRecords(machine::StateFolder& state, const Records& records);

// All of them become true in one step, without any operation. Nothing is written where nothing differs.
Result<void> CommitRecords(machine::StateFolder& state, Records records);

// `more` in addition, and instead of those of the same file.
void AddRecords(Records& records, Records more);

}  // namespace prov::reconcile
