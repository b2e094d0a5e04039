// Plan: the difference between a machine and a desired state, as operations, with the ledger that is true afterwards.
// Making a plan only reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/reconcile/operation.h"
#include "provisioner/reconcile/value_parts.h"

namespace prov::reconcile {

enum class ItemKind { kEnvironment, kServiceEnvironment, kWinHttp, kWinInet, kCertificate, kService, kFile, kHns };
std::string_view NameOf(ItemKind kind);  // "env", "serviceEnv", and so on: the constant in camelCase

// kAdopt: found as wanted, and recorded in the ledger as ours. kYield: another program's value is left alone.
enum class Action { kNone, kCreate, kUpdate, kDelete, kAdopt, kYield };
std::string_view NameOf(Action action);
// The action that leads from absent or present (`before`) to absent or present (`after`).
Action ActionOf(bool before, bool after);

struct Change {
  ItemKind kind = ItemKind::kEnvironment;
  Action action = Action::kNone;
  std::string name;
  std::string before, after;  // for people and JSON: passwords are ***
  std::string reason;
  std::string key = {};          // ItemKey
  ValueParts was = {}, is = {};  // `before` and `after` as data
};

// An item that the ledger records as ours and that is no longer on the machine as we left it.
struct Drift {
  ItemKind kind = ItemKind::kEnvironment;
  std::string name;                     // for people
  bool missing = false;                 // true: absent from the machine; false: changed
  std::string before = {}, after = {};  // what we left and what is there, as in a Change
  ValueParts was = {}, is = {};
  std::string key = {};  // ItemKey
};

// `change` leads from what we left to what is there.
Drift DriftOf(Change change, bool missing);

struct Plan : Run {
  std::vector<Change> changes;  // every item, kNone included
  Findings findings;

  bool HasWork() const { return !operations.empty() || ledger_before != ledger_after; }
};

struct PlanOptions {
  // Records values that equal the desired ones as ours: they came from our own payload, or from a run whose record is
  // lost. `adopt_reason` gives the reason in the report.
  bool adopt = false;
  std::string_view adopt_reason = "baked before the first boot";
  // The Windows Machine Config Operator's daemon owns the machine variables: those that others changed are left alone.
  bool yield_environment = false;
  // A part of the settings that this machine refuses is left out with a finding, for the rest to go on.
  bool leaves_out_refused = false;
  // A removal also reports what stays: proxies that were there before us, and of other items those with these keys,
  // which the last run found as wanted.
  bool reports_staying = false;
  std::vector<std::string> found = {};
};

// Errors: those of the ports.
Result<Plan> MakePlan(machine::Machine& machine, const DesiredState& desired, const Ledger& ledger,
                      const PlanOptions& options);

// The desired state for removing everything of ours.
DesiredState NothingDesired();

}  // namespace prov::reconcile
