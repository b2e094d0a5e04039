// Kind: everything that is specific to one kind of item: which items exist, their wanted values, when two values are
// equal, how they are shown, and what the engine and a payload's script do about them. Plan, drift, the reports of
// finished runs, the registry part of payloads and operations.json are loops over the kinds. A new kind is one file and
// a row in kinds.cc, besides its ItemKind, its member of DesiredState and its word in Scope.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/reconcile/execute.h"
#include "provisioner/reconcile/plan.h"

namespace prov::reconcile {

class Planner;
class ScriptWriter;

// Where a payload's script set an item.
struct ScriptPlace {
  std::string item;   // as in the ledger
  std::string key;    // "": the item is not a registry value
  std::string value;  // the value's name
};

class Kind {
 public:
  virtual ~Kind() = default;

  virtual bool IsInScope(const Scope& scope) const = 0;
  // Whether an item of the ledger is of this kind, by what its name begins with.
  virtual bool Owns(std::string_view item) const = 0;

  // Plans the operations for its items, and the ledger entries that are true afterwards. Of a kind out of scope nothing
  // is desired, so what is ours is taken back. Errors: those of the ports.
  virtual Result<void> Plan(Planner& planner) const = 0;
  // nullopt: the machine has the item as we left it. Errors: those of the ports; type (no such item is known).
  virtual Result<std::optional<Drift>> FindDrift(machine::Machine& machine, std::string_view item,
                                                 const LedgerEntry& entry) const = 0;
  // What is left to do of an operation on one of its items. Errors: those of the ports.
  virtual Result<Rebased> Rebase(machine::Machine& machine, const Operation& operation) const {
    return RebaseWhole(machine, operation);
  }
  // The change that an operation makes to an item, for reports.
  virtual Change ChangeOf(std::string_view item, const Operation& operation) const = 0;
  // Whether values that others changed are left to them.
  virtual bool Yields(const PlanOptions& /*options*/) const { return false; }
  // Whether a change of its items takes effect only after a reboot.
  virtual bool NeedsReboot() const { return false; }

  // The finding that reports a failed operation if the run goes on after it, and the next run tries again. nullopt: the
  // failure ends the run.
  virtual std::optional<Finding> MayFail(const Operation& /*operation*/, const Error& /*error*/) const {
    return std::nullopt;
  }
  // True: an operation on an item is done as a whole or not at all. So the ledger has the item as before an operation
  // that failed. Otherwise it has what was to be there, which is then drift.
  virtual bool IsAtomic() const { return false; }
  // Why an operation must not be executed after places of the same run were left; "": it may be. `left`: the operations
  // on those places so far. Of one whose place others changed, `before` and `after` are the present value; one that
  // failed is as it was planned.
  virtual std::string_view WhyKept(const Operation& /*operation*/, const std::vector<Operation>& /*left*/) const {
    return {};
  }
  // What stays ours when an operation that may fail was to take back a trial, whose items are in no ledger.
  virtual std::optional<LedgerEntry> OursAfterFailure(const Operation& /*back*/) const { return std::nullopt; }
  // False: its items come and go by themselves, and `rollback` takes back the last run that changed anything else.
  virtual bool ChangesTheNode() const { return true; }
  // Adds to `back`, the reverse of an earlier run, the items of the ledger `now` that came later by that run's
  // settings.
  virtual void AddLaterItems(const Ledger& /*now*/, Run& /*back*/) const {}

  // Adds the registry values that an empty machine gets for the desired state, with paths as on a live one. `closed`:
  // access to keys can be restricted. Where it can't, values that users must not read are left out.
  virtual void Bake(const DesiredState& desired, bool closed, images::RegKey& machine) const = 0;

  // Writes the operations of operations.json, in the order of a plan. Writes none for a kind that only the program can
  // carry out.
  virtual void WriteForScript(const DesiredState& /*desired*/, ScriptWriter& /*out*/) const {}
  // The place of an item in the script's record; nullopt: the script sets no such item.
  virtual std::optional<ScriptPlace> PlaceInScript(std::string_view /*item*/) const { return std::nullopt; }
  // What is ours of an item that this program set before the script did. The script's value is still there.
  virtual std::optional<images::RegValue> OursAfterScript(std::string_view /*item*/, const LedgerEntry& /*own*/,
                                                          const LedgerEntry& script) const {
    return script.ours;
  }
};

// All kinds, in the order of a plan's operations.
const std::vector<const Kind*>& Kinds();

// Error: that of UnknownItem().
Result<const Kind*> KindOf(std::string_view item);
// The error (type) for an item of the ledger that this version does not know.
std::unexpected<Error> UnknownItem(std::string_view item);

// One for each file; kinds.cc lists them.
const Kind& CertificateKind();
const Kind& EnvironmentKind();
const Kind& WinHttpKind();
const Kind& WinInetKind();
const Kind& ServiceKind();
const Kind& FileKind();
const Kind& HnsKind();

}  // namespace prov::reconcile
