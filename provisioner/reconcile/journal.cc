#include "provisioner/reconcile/journal.h"

#include <algorithm>

#include "provisioner/base/json_writer.h"

namespace prov::reconcile {
namespace {

// 1: without records and without the mark of a rollback, as earlier versions wrote it. What needs neither is written so
// still. A program that knows only that form must not complete the other one: it would leave out the records.
constexpr std::int64_t kPlain = 1;
constexpr std::int64_t kWithRecords = 2;

std::string LedgerJson(const Ledger& ledger) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1);
  WriteLedger(json, "items", ledger);
  return json.EndObject().Take();
}

// What an image holds came from somewhere else: nothing but a file of the state folder is named.
bool IsFileName(std::string_view name) {
  return !name.empty() && name.front() != '.' && name != kJournalFile && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

void WriteRecordList(JsonWriter& json, const Records& records) {
  json.Key("records").BeginArray();
  for (const auto& [file, text] : records) {
    json.BeginObject().Member("file", file).Key("text");
    if (text) {
      json.String(*text);
    } else {
      json.Null();
    }
    json.EndObject();
  }
  json.EndArray();
}

Result<Records> ReadRecordList(const JsonNode& root) {
  Records out;
  for (const JsonNode& node : PROV_TRY(PROV_TRY(root.Get("records")).Items())) {
    const JsonNode file = PROV_TRY(node.Get("file"));
    std::string name = PROV_TRY(file.Text());
    if (!IsFileName(name)) return file.Refuse(Code::kType, "is no file of the state folder");
    const auto text = PROV_TRY(node.Find("text"));
    out[std::move(name)] = text ? std::optional(PROV_TRY(text->Text())) : std::nullopt;
  }
  return out;
}

Result<std::optional<Transaction>> Load(machine::StateFolder& state, std::string_view file) {
  const auto text = PROV_TRY(state.Read(file));
  if (!text) return std::nullopt;
  return PROV_TRY(ParseTransaction(*text, file));
}

}  // namespace

std::string TransactionJson(const Transaction& transaction) {
  const bool plain = !transaction.takes_back && transaction.records.empty();
  JsonWriter json;
  json.BeginObject().Member("schema", plain ? kPlain : kWithRecords);
  json.Member("trial", transaction.trial).Member("reboot", transaction.reboot);
  json.Key("operations").BeginArray();
  for (const Operation& operation : transaction.operations) WriteOperation(json, operation);
  json.EndArray();
  WriteLedger(json, "ledgerBefore", transaction.ledger_before);
  WriteLedger(json, "ledgerAfter", transaction.ledger_after);
  if (!plain) {
    json.Member("takesBack", transaction.takes_back);
    WriteRecordList(json, transaction.records);
  }
  return json.EndObject().Take();
}

Result<Transaction> ParseTransaction(std::string_view text, std::string_view where) {
  const auto [root, schema] = PROV_TRY(ParseSchemaUpTo(kWithRecords, text, where));
  Transaction out;
  out.trial = PROV_TRY(PROV_TRY(root.Get("trial")).Bool());
  out.reboot = PROV_TRY(PROV_TRY(root.Get("reboot")).Bool());
  for (const JsonNode& node : PROV_TRY(PROV_TRY(root.Get("operations")).Items())) {
    out.operations.push_back(PROV_TRY(ReadOperation(node)));
  }
  out.ledger_before = PROV_TRY(ReadLedger(root, "ledgerBefore"));
  out.ledger_after = PROV_TRY(ReadLedger(root, "ledgerAfter"));
  if (schema == kPlain) return out;
  out.takes_back = PROV_TRY(PROV_TRY(root.Get("takesBack")).Bool());
  out.records = PROV_TRY(ReadRecordList(root));
  return out;
}

Result<std::optional<Transaction>> LoadJournal(machine::StateFolder& state) { return Load(state, kJournalFile); }

Result<void> SaveJournal(machine::StateFolder& state, const Transaction& transaction) {
  return state.Write(kJournalFile, TransactionJson(transaction));
}

Result<std::optional<Transaction>> LoadLast(machine::StateFolder& state) { return Load(state, kLastFile); }

Result<Ledger> LoadLedger(machine::StateFolder& state) {
  const auto text = PROV_TRY(state.Read(kLedgerFile));
  if (!text) return Ledger();
  return ReadLedger(PROV_TRY(ParseSchemaOne(*text, kLedgerFile)), "items");
}

Result<void> SaveLedger(machine::StateFolder& state, const Ledger& ledger) {
  return state.Write(kLedgerFile, LedgerJson(ledger));
}

Result<std::optional<std::string>> ReadRecord(machine::StateFolder& state, std::string_view file) {
  if (const auto open = PROV_TRY(LoadJournal(state))) {
    if (const auto record = open->records.find(file); record != open->records.end()) return record->second;
  }
  return state.Read(file);
}

Result<void> WriteRecords(machine::StateFolder& state, const Records& records) {
  for (const auto& [file, text] : records) {
    if (PROV_TRY(state.Read(file)) == text) continue;
    PROV_TRY(text ? state.Write(file, *text) : state.Remove(file));
  }
  return {};
}

Result<void> CommitRecords(machine::StateFolder& state, Records records) {
  std::optional<Transaction> open = PROV_TRY(LoadJournal(state));
  for (auto record = records.begin(); record != records.end();) {
    const bool same = PROV_TRY(ReadRecord(state, record->first)) == record->second;
    record = same ? records.erase(record) : std::next(record);
  }
  if (records.empty()) return {};
  if (open) {
    Transaction without = *open;
    for (const auto& [file, text] : records) without.records.erase(file);
    AddRecords(open->records, records);
    PROV_TRY(SaveJournal(state, *open));
    if (!open->trial) return {};  // who ends that run writes them
    PROV_TRY(WriteRecords(state, records));
    return SaveJournal(state, without);
  }
  if (records.size() == 1) return WriteRecords(state, records);  // which is one step itself
  PROV_TRY(SaveJournal(state, {.operations = {}, .ledger_before = {}, .ledger_after = {}, .records = records}));
  PROV_TRY(WriteRecords(state, records));
  return state.Remove(kJournalFile);
}

void AddRecords(Records& records, Records more) {
  more.merge(records);
  records = std::move(more);
}

}  // namespace prov::reconcile
