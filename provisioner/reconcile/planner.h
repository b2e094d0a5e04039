// What the kinds share to make a plan. Internal to this folder; the interface is plan.h.
#pragma once

#include <string>

#include "provisioner/reconcile/plan.h"

namespace prov::reconcile {

class Planner {
 public:
  Planner(machine::Machine& machine, const DesiredState& desired, const Ledger& ledger, const PlanOptions& options)
      : machine_(machine), desired_(desired), options_(options) {
    plan_.ledger_before = plan_.ledger_after = ledger;
  }

  machine::Machine& machine() { return machine_; }
  const DesiredState& desired() const { return desired_; }
  const PlanOptions& options() const { return options_; }
  const Ledger& ledger() const { return plan_.ledger_before; }
  const LedgerEntry* Find(std::string_view item) const;

  void Report(std::string_view item, Change change) {
    change.key = item;
    plan_.changes.push_back(std::move(change));
  }
  void Note(Finding finding) { plan_.findings.push_back(std::move(finding)); }
  void NeedReboot() { plan_.reboot = true; }

  // Operations run in the order in which they are added. Those that undo what is ours follow, in reverse order.
  void Add(Operation operation) { operations_.push_back(std::move(operation)); }
  void AddUndo(Operation operation) { undos_.push_back(std::move(operation)); }
  void Own(const std::string& item, LedgerEntry entry) { plan_.ledger_after[item] = std::move(entry); }
  void Disown(const std::string& item) { plan_.ledger_after.erase(item); }

  Plan Finish() &&;

 private:
  machine::Machine& machine_;
  const DesiredState& desired_;
  const PlanOptions& options_;
  Plan plan_;
  std::vector<Operation> operations_, undos_;
};

// The change of the descriptor of a service's key.
Change DescribeDescriptors(std::string service, std::string_view before, std::string_view after,
                           Action action = Action::kUpdate, std::string reason = {});
// Plans the descriptor of a service's key. PlanClosedService restricts it to administrators and the service's own
// account. PlanOpenedService restores the descriptor from before us, if the change is ours.
Result<void> PlanClosedService(Planner& planner, std::string_view service);
Result<void> PlanOpenedService(Planner& planner, std::string_view service);
// Whether a key that we restricted was removed or opened to others. Errors: those of the ports.
Result<std::optional<Drift>> FindOpenedService(machine::Machine& machine, std::string_view service,
                                               const LedgerEntry& entry);

}  // namespace prov::reconcile
