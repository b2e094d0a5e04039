#include "provisioner/reconcile/ledger.h"

#include "provisioner/reconcile/operation.h"

namespace prov::reconcile {

void WriteLedger(JsonWriter& json, std::string_view key, const Ledger& ledger) {
  json.Key(key).BeginObject();
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

Result<Ledger> ReadLedger(const JsonNode& parent, std::string_view key) {
  Ledger out;
  for (const auto& [item, node] : PROV_TRY(PROV_TRY(parent.Get(key)).Members())) {
    LedgerEntry& entry = out[item];
    entry.before = PROV_TRY(ReadStored(node, "before"));
    entry.ours = PROV_TRY(ReadStored(node, "ours"));
    for (const JsonNode& own : PROV_TRY(PROV_TRY(node.Get("ownKeys")).Items())) {
      entry.own_keys.push_back(PROV_TRY(own.Text()));
    }
  }
  return out;
}

}  // namespace prov::reconcile
