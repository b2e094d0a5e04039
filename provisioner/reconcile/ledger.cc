#include "provisioner/reconcile/ledger.h"

#include "provisioner/reconcile/operation.h"

namespace prov::reconcile {

void WriteLedger(JsonWriter& json, const Ledger& ledger) {
  json.BeginObject();
  for (const auto& [item, entry] : ledger) {
    json.Key(item).BeginObject();
    WriteStored(json, "before", entry.before);
    WriteStored(json, "ours", entry.ours);
    json.Key("ownKeys").BeginArray();
    for (const std::string& own : entry.own_keys) json.String(own);
    json.EndArray().EndObject();
  }
  json.EndObject();
}

void WriteLedger(JsonWriter& json, std::string_view key, const Ledger& ledger) { WriteLedger(json.Key(key), ledger); }

Result<Ledger> ReadLedger(const JsonNode& node) {
  Ledger out;
  for (const auto& [item, member] : PROV_TRY(node.Members())) {
    LedgerEntry& entry = out[item];
    entry.before = PROV_TRY(ReadStored(member, "before"));
    entry.ours = PROV_TRY(ReadStored(member, "ours"));
    for (const JsonNode& own : PROV_TRY(PROV_TRY(member.Get("ownKeys")).Items())) {
      entry.own_keys.push_back(PROV_TRY(own.Text()));
    }
  }
  return out;
}

Result<Ledger> ReadLedger(const JsonNode& parent, std::string_view key) {
  return ReadLedger(PROV_TRY(parent.Get(key)));
}

}  // namespace prov::reconcile
