#include "provisioner/reconcile/journal.h"

#include "provisioner/base/json_writer.h"
#include "provisioner/base/seal.h"

namespace prov::reconcile {
namespace {

void WriteRun(JsonWriter& json, const Transaction& transaction) {
  json.Member("trial", transaction.trial).Member("reboot", transaction.reboot);
  json.Key("operations").BeginArray();
  for (const Operation& operation : transaction.operations) WriteOperation(json, operation);
  json.EndArray();
  WriteLedger(json, "ledgerBefore", transaction.ledger_before);
  WriteLedger(json, "ledgerAfter", transaction.ledger_after);
}

Result<Transaction> ReadRun(const JsonNode& root) {
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
  for (const auto& [name, node] : PROV_TRY(PROV_TRY(root.Get("sections")).Members())) {
    out[name] = node.IsNull() ? std::nullopt : std::optional(node.Json());
  }
  return out;
}

}  // namespace

std::string TransactionJson(const Transaction& transaction) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member(kSealMember, kNoSeal);
  WriteRun(json, transaction);
  json.Member("takesBack", transaction.takes_back);
  WriteSections(json, transaction.sections);
  return Seal(json.EndObject().Text());
}

Result<Transaction> ParseTransaction(std::string_view text, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  PROV_TRY(CheckSeal(text, where));
  Transaction out = PROV_TRY(ReadRun(root));
  out.takes_back = PROV_TRY(PROV_TRY(root.Get("takesBack")).Bool());
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

// A copy without its journal is one that somebody deleted.
Result<void> RemoveJournal(machine::StateRecord& state) {
  PROV_TRY(state.folder().Remove(kJournalPreviousFile));
  return state.folder().Remove(kJournalFile);
}

Result<std::optional<Transaction>> LoadLast(machine::StateRecord& state) {
  const auto section = PROV_TRY(state.Read(kLastSection));
  if (!section) return std::nullopt;
  return PROV_TRY(ReadRun(*section));
}

std::string LastJson(const Transaction& transaction) {
  JsonWriter json;
  json.BeginObject();
  WriteRun(json, transaction);
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

Result<std::optional<JsonNode>> ReadSection(machine::StateRecord& state, std::string_view section) {
  if (const auto open = PROV_TRY(LoadJournal(state))) {
    if (const auto found = open->sections.find(section); found != open->sections.end()) {
      if (!found->second) return std::nullopt;
      return PROV_TRY(ParseJsonDocument(*found->second, kJournalFile));
    }
  }
  return state.Read(section);
}

// An open run that has sections would put its own in the place of these at its end, so it takes them along.
Result<void> CommitSections(machine::StateRecord& state, const Sections& sections) {
  std::optional<Transaction> open = PROV_TRY(LoadJournal(state));
  if (!open || (open->trial && open->sections.empty())) return state.Commit(sections);
  bool differs = false;
  for (const auto& [name, section] : sections) {
    const auto now = PROV_TRY(ReadSection(state, name));
    differs = differs || now.has_value() != section.has_value() || (now && now->Json() != *section);
  }
  if (!differs) return {};
  AddSections(open->sections, sections);
  return SaveJournal(state, *open);
}

void AddSections(Sections& sections, Sections more) {
  more.merge(sections);
  sections = std::move(more);
}

}  // namespace prov::reconcile
