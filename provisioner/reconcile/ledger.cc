#include "provisioner/reconcile/ledger.h"

#include "provisioner/reconcile/operation.h"

namespace prov::reconcile {

void WriteLedger(JsonWriter& json, const Ledger& ledger) {
  json.BeginObject();
  for (const auto& [item, entry] : ledger) {
    json.Key(item).BeginObject();
    WriteStored(json, "before", entry.before);
    WriteStored(json, "ours", entry.ours);
    json.Strings("ownKeys", entry.own_keys).EndObject();
  }
  json.EndObject();
}

Result<Ledger> ReadLedger(const JsonNode& node) {
  Ledger out;
  for (const auto& [item, member] : PROV_TRY(node.Members())) {
    LedgerEntry& entry = out[item];
    entry.before = PROV_TRY(ReadStored(member, "before"));
    entry.ours = PROV_TRY(ReadStored(member, "ours"));
    entry.own_keys = PROV_TRY(member.Get("ownKeys", &JsonNode::Texts));
  }
  return out;
}

}  // namespace prov::reconcile
