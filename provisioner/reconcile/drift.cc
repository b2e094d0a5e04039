#include "provisioner/reconcile/drift.h"

#include "provisioner/reconcile/kind.h"

namespace prov::reconcile {

Result<std::vector<Drift>> FindDrift(machine::Machine& machine, const Ledger& ledger, bool yield_environment) {
  std::vector<Drift> out;
  for (const auto& [item, entry] : ledger) {
    const Kind& kind = *PROV_TRY(KindOf(item));
    if (!entry.ours) continue;
    auto drift = PROV_TRY(kind.FindDrift(machine, item, entry));
    if (!drift) continue;
    drift->key = item;
    drift->yields = yield_environment && drift->kind == ItemKind::kEnvironment;
    out.push_back(*std::move(drift));
  }
  return out;
}

}  // namespace prov::reconcile
