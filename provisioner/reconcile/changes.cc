#include "provisioner/reconcile/changes.h"

#include "provisioner/reconcile/kind.h"

namespace prov::reconcile {

std::vector<Change> ChangesOf(const Transaction& transaction) {
  std::vector<Change> out;
  out.reserve(transaction.operations.size());
  for (const Operation& operation : transaction.operations) {
    const std::string& item = ItemOf(operation);
    // An item of no known kind is one of a newer program, whose journal this one does not read.
    if (const auto kind = KindOf(item)) out.push_back((*kind)->ChangeOf(item, operation));
  }
  return out;
}

}  // namespace prov::reconcile
