// The operations of a transaction as changes of items, for reports of runs that make no plan of their own.
#pragma once

#include <vector>

#include "provisioner/reconcile/plan.h"
#include "provisioner/reconcile/transaction.h"

namespace prov::reconcile {

// In the order of the operations; without secrets.
std::vector<Change> ChangesOf(const Transaction& transaction);

}  // namespace prov::reconcile
