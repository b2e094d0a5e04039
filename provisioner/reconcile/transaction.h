// Transaction: a plan's operations carried out so that any instruction may be the last. The journal is written and
// flushed before the first of them; an open one is finished or taken back by the next run.
#pragma once

#include <string>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/reconcile/ledger.h"
#include "provisioner/reconcile/operation.h"

namespace prov::reconcile {

// Files in the state folder.
inline constexpr std::string_view kLedgerFile = "ledger.json";
inline constexpr std::string_view kJournalFile = "journal.json";
inline constexpr std::string_view kLastFile = "last.json";      // the last one that was finished, for `rollback`
inline constexpr std::string_view kRebootFile = "reboot.json";  // see reboot.h

struct Transaction {
  bool trial = false;  // stays open until confirmed; the next run takes an open one back
  bool reboot = false;
  std::vector<Operation> operations;
  Ledger ledger_before, ledger_after;
};

std::string TransactionJson(const Transaction& transaction);
Result<Transaction> ParseTransaction(std::string_view text, std::string_view where);

Result<Ledger> LoadLedger(machine::StateFolder& state);  // empty when there is none
Result<void> SaveLedger(machine::StateFolder& state, const Ledger& ledger);

// The open transaction, if there is one.
Result<std::optional<Transaction>> LoadJournal(machine::StateFolder& state);

// Journal, operations, flush; and, unless it is a trial, Commit.
Result<void> Run(machine::Machine& machine, const Transaction& transaction);

// Ledger, reboot marker and the record for `rollback`, then the journal goes.
Result<void> Commit(machine::Machine& machine, const Transaction& transaction);

// Ends an open transaction: finishes it, or takes a trial back. A place that somebody else changed meanwhile is left
// alone (`interrupted` finding). Whether there was one.
Result<bool> Recover(machine::Machine& machine, Findings& findings);

// The opposite: from `after` to `before` in reverse order, as a transaction of its own.
Transaction Reversed(const Transaction& transaction);

// What `Rollback` would carry out; nullopt: there is nothing to take back.
Result<std::optional<Transaction>> WhatRollbackWouldTakeBack(machine::StateFolder& state);

// Takes the open trial or, where there is none, the last finished transaction back. False: there is nothing to take
// back.
Result<bool> Rollback(machine::Machine& machine, Findings& findings);

// Makes an open trial permanent. False: there is none.
Result<bool> Confirm(machine::Machine& machine);

}  // namespace prov::reconcile
