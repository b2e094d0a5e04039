// Drift: items that the ledger records as ours and that are no longer on the machine as we left them.
#pragma once

#include <string>
#include <vector>

#include "provisioner/reconcile/ledger.h"
#include "provisioner/reconcile/plan.h"

namespace prov::reconcile {

struct Drift {
  ItemKind kind = ItemKind::kEnvironment;
  std::string name;      // for people
  bool missing = false;  // true: absent from the machine; false: changed
  bool yields = false;   // not repaired: the Windows Machine Config Operator's daemon owns this variable now
  std::string key = {};  // the item's key in the ledger
};

// `yield_environment` as in PlanOptions. Errors: those of the ports; type for a ledger item that this version does not
// know.
Result<std::vector<Drift>> FindDrift(machine::Machine& machine, const Ledger& ledger, bool yield_environment = false);

}  // namespace prov::reconcile
