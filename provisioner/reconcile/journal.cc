#include "provisioner/reconcile/journal.h"

#include "provisioner/base/json_writer.h"
#include "provisioner/base/seal.h"

namespace prov::reconcile {
namespace {

void WriteRun(JsonWriter& json, const Run& run) {
  json.Member("reboot", run.reboot);
  json.Key("operations").BeginArray();
  for (const Operation& operation : run.operations) WriteOperation(json, operation);
  json.EndArray();
  WriteLedger(json.Key("ledgerBefore"), run.ledger_before);
  WriteLedger(json.Key("ledgerAfter"), run.ledger_after);
}

Result<Run> ReadRun(const JsonNode& root) {
  Run out;
  out.reboot = PROV_TRY(root.Get("reboot", &JsonNode::Bool));
  for (const JsonNode& node : PROV_TRY(root.Get("operations", &JsonNode::Items))) {
    out.operations.push_back(PROV_TRY(ReadOperation(node)));
  }
  out.ledger_before = PROV_TRY(root.Get("ledgerBefore", ReadLedger));
  out.ledger_after = PROV_TRY(root.Get("ledgerAfter", ReadLedger));
  return out;
}

void WriteSections(JsonWriter& json, const Sections& sections) {
  json.Key("sections").BeginObject();
  for (const auto& [name, section] : sections) {
    json.Key(name);
    if (section) {
      json.Json(*section);
    } else {
      json.Null();
    }
  }
  json.EndObject();
}

Result<Sections> ReadSections(const JsonNode& root) {
  Sections out;
  for (const auto& [name, node] : PROV_TRY(root.Get("sections", &JsonNode::Members))) {
    out[name] = node.IsNull() ? std::nullopt : std::optional(node.Json());
  }
  return out;
}

}  // namespace

std::string TransactionJson(const Transaction& transaction) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member(kSealMember, kNoSeal);
  if (transaction.trial) json.Key("trial").Json(*transaction.trial);
  WriteRun(json, transaction);
  json.Member("takesBack", transaction.is_rollback);
  WriteSections(json, transaction.sections);
  return Seal(json.EndObject().Text());
}

Result<Transaction> ParseTransaction(std::string_view text, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  PROV_TRY(CheckSeal(text, where));
  Transaction out{PROV_TRY(ReadRun(root)), {}, {}};
  if (const auto trial = PROV_TRY(root.Find("trial"))) out.trial = trial->Json();
  out.is_rollback = PROV_TRY(root.Get("takesBack", &JsonNode::Bool));
  out.sections = PROV_TRY(ReadSections(root));
  return out;
}

Result<std::optional<Transaction>> LoadJournal(machine::StateRecord& state) {
  const auto text = PROV_TRY(state.folder().Read(kJournalFile));
  if (!text) return std::nullopt;
  return PROV_TRY(ParseTransaction(*text, kJournalFile));
}

Result<void> SaveJournal(machine::StateRecord& state, const Transaction& transaction) {
  const std::string text = TransactionJson(transaction);
  PROV_TRY(state.folder().Write(kJournalFile, text));
  return state.folder().Write(kJournalPreviousFile, text);
}

// Remove the copy first: a copy without its journal would look like a journal that was deleted by mistake.
Result<void> RemoveJournal(machine::StateRecord& state) {
  PROV_TRY(state.folder().Remove(kJournalPreviousFile));
  return state.folder().Remove(kJournalFile);
}

Result<std::optional<Run>> LoadLast(machine::StateRecord& state) {
  const auto section = PROV_TRY(state.Read(kLastSection));
  if (!section) return std::nullopt;
  return PROV_TRY(ReadRun(*section));
}

std::string LastJson(const Run& run) {
  JsonWriter json;
  json.BeginObject();
  WriteRun(json, run);
  return json.EndObject().Text();
}

Result<Ledger> LoadLedger(machine::StateRecord& state) {
  const auto section = PROV_TRY(state.Read(kLedgerSection));
  return section ? ReadLedger(*section) : Ledger();
}

std::string LedgerJson(const Ledger& ledger) {
  JsonWriter json;
  WriteLedger(json, ledger);
  return json.Text();
}

}  // namespace prov::reconcile
