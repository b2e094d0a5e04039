// What commands report: the changes of a plan that was made or carried out, or of the operations of an earlier run.
#pragma once

#include <vector>

#include "provisioner/reconcile/plan.h"

namespace prov::reconcile {

struct RunReport {
  std::vector<Change> changes;
  std::size_t writes = 0;        // operations that were, or for a plan would be, carried out
  bool reboot_required = false;  // now, by this run or by an earlier one of the same boot
  bool trial = false;            // left open, until `confirm`
  bool removal = false;          // of everything of ours
  Findings findings;
};

// Fills in what the plan, or the run, alone determines. Errors: type (unknown item).
RunReport ReportOf(Plan plan);
Result<RunReport> ReportOf(const Run& run);

// The change that an operation makes to its item, and those of a run in order. Without secrets. Errors: type (unknown
// item).
Result<Change> ChangeOf(const Operation& operation);
Result<std::vector<Change>> ChangesOf(const Run& run);

}  // namespace prov::reconcile
