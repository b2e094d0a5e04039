#include "provisioner/reconcile/transaction.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/json_writer.h"
#include "provisioner/reconcile/reboot.h"

namespace prov::reconcile {
namespace {

std::string LedgerJson(const Ledger& ledger) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1);
  WriteLedger(json, "items", ledger);
  return json.EndObject().Take();
}

std::string PlaceOf(const Operation& operation) {
  if (const auto* write = std::get_if<RegistryWrite>(&operation)) return write->key + "\\" + write->name;
  if (const auto* write = std::get_if<SecurityWrite>(&operation)) return write->key + " (descriptor)";
  return fmt::format("certificate store {}", NameOf(std::get<CertificateWrite>(operation).store));
}

// Carries out those operations whose place nobody else changed.
Result<void> Replay(machine::Machine& machine, const std::vector<Operation>& operations, Findings& findings) {
  for (const Operation& operation : operations) {
    switch (PROV_TRY(Observe(machine, operation))) {
      case Progress::kBefore:
      case Progress::kAfter:  // again, for keys of ours that a cut run left behind
        PROV_TRY(Execute(machine, operation));
        break;
      case Progress::kOther:
        AddWarning(findings, "interrupted",
                   "was changed by somebody else before an interrupted run was ended; left as it is",
                   PlaceOf(operation));
        break;
    }
  }
  return {};
}

Result<void> Flush(machine::Machine& machine) {
  PROV_TRY(machine.certificates.Flush());
  return machine.registry.Flush();
}

Result<std::optional<Transaction>> Load(machine::StateFolder& state, std::string_view file) {
  const auto text = PROV_TRY(state.Read(file));
  if (!text) return std::nullopt;
  return PROV_TRY(ParseTransaction(*text, file));
}

Result<void> Execute(machine::Machine& machine, const std::vector<Operation>& operations) {
  for (const Operation& operation : operations) PROV_TRY(Execute(machine, operation));
  return {};
}

}  // namespace

std::string TransactionJson(const Transaction& transaction) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("trial", transaction.trial).Member("reboot", transaction.reboot);
  json.Key("operations").BeginArray();
  for (const Operation& operation : transaction.operations) WriteOperation(json, operation);
  json.EndArray();
  WriteLedger(json, "ledgerBefore", transaction.ledger_before);
  WriteLedger(json, "ledgerAfter", transaction.ledger_after);
  return json.EndObject().Take();
}

Result<Transaction> ParseTransaction(std::string_view text, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  Transaction out;
  out.trial = PROV_TRY(PROV_TRY(root.Get("trial")).Bool());
  out.reboot = PROV_TRY(PROV_TRY(root.Get("reboot")).Bool());
  for (const JsonNode& node : PROV_TRY(PROV_TRY(root.Get("operations")).Items())) {
    out.operations.push_back(PROV_TRY(ReadOperation(node)));
  }
  out.ledger_before = PROV_TRY(ReadLedger(root, "ledgerBefore"));
  out.ledger_after = PROV_TRY(ReadLedger(root, "ledgerAfter"));
  return out;
}

Result<Ledger> LoadLedger(machine::StateFolder& state) {
  const auto text = PROV_TRY(state.Read(kLedgerFile));
  if (!text) return Ledger();
  return ReadLedger(PROV_TRY(ParseSchemaOne(*text, kLedgerFile)), "items");
}

Result<void> SaveLedger(machine::StateFolder& state, const Ledger& ledger) {
  return state.Write(kLedgerFile, LedgerJson(ledger));
}

Result<std::optional<Transaction>> LoadJournal(machine::StateFolder& state) { return Load(state, kJournalFile); }

Result<void> Run(machine::Machine& machine, const Transaction& transaction) {
  PROV_TRY(machine.state.Write(kJournalFile, TransactionJson(transaction)));
  PROV_TRY(Execute(machine, transaction.operations));
  PROV_TRY(Flush(machine));
  if (transaction.reboot) machine.system.AnnounceEnvironment();
  return transaction.trial ? Result<void>() : Commit(machine, transaction);
}

Result<void> Commit(machine::Machine& machine, const Transaction& transaction) {
  if (transaction.reboot) PROV_TRY(MarkReboot(machine));
  PROV_TRY(SaveLedger(machine.state, transaction.ledger_after));
  Transaction done = transaction;
  done.trial = false;
  if (!done.operations.empty()) PROV_TRY(machine.state.Write(kLastFile, TransactionJson(done)));
  return machine.state.Remove(kJournalFile);
}

Result<bool> Recover(machine::Machine& machine, Findings& findings) {
  const std::optional<Transaction> open = PROV_TRY(LoadJournal(machine.state));
  if (!open) return false;
  const bool back = open->trial;
  PROV_TRY(Replay(machine, back ? Reversed(*open).operations : open->operations, findings));
  PROV_TRY(Flush(machine));
  if (open->reboot) machine.system.AnnounceEnvironment();
  AddInfo(findings, "recovered",
          back ? "a trial that nobody confirmed was taken back" : "an interrupted run was finished",
          std::string(kJournalFile));
  if (back) {
    PROV_TRY(machine.state.Remove(kJournalFile));
  } else {
    PROV_TRY(Commit(machine, *open));
  }
  return true;
}

Transaction Reversed(const Transaction& transaction) {
  Transaction out{false, transaction.reboot, {}, transaction.ledger_after, transaction.ledger_before};
  for (auto operation = transaction.operations.rbegin(); operation != transaction.operations.rend(); ++operation) {
    out.operations.push_back(Inverse(*operation));
  }
  return out;
}

Result<std::optional<Transaction>> WhatRollbackWouldTakeBack(machine::StateFolder& state) {
  std::optional<Transaction> taken = PROV_TRY(LoadJournal(state));
  if (!taken || !taken->trial) taken = PROV_TRY(Load(state, kLastFile));
  return taken ? std::optional(Reversed(*taken)) : std::nullopt;
}

Result<bool> Rollback(machine::Machine& machine, Findings& findings) {
  if (const auto open = PROV_TRY(LoadJournal(machine.state)); open && open->trial) return Recover(machine, findings);
  const std::optional<Transaction> last = PROV_TRY(Load(machine.state, kLastFile));
  if (!last) return false;
  Transaction back = Reversed(*last);
  PROV_TRY(machine.state.Write(kJournalFile, TransactionJson(back)));
  PROV_TRY(Replay(machine, back.operations, findings));
  PROV_TRY(Flush(machine));
  if (back.reboot) machine.system.AnnounceEnvironment();
  PROV_TRY(Commit(machine, back));
  PROV_TRY(machine.state.Remove(kLastFile));  // once: what lies further back is not known
  return true;
}

Result<bool> Confirm(machine::Machine& machine) {
  const std::optional<Transaction> open = PROV_TRY(LoadJournal(machine.state));
  if (!open || !open->trial) return false;
  PROV_TRY(Commit(machine, *open));
  return true;
}

}  // namespace prov::reconcile
