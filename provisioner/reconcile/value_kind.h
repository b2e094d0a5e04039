// Base of the kinds whose items are exactly one registry value each.
#pragma once

#include "provisioner/reconcile/kind.h"

namespace prov::reconcile {

struct ValuePlace {
  std::string id;    // identifies it in the ledger, after the kind's prefix: "HTTP_PROXY", "64"
  std::string name;  // behind the kind's word: "HTTP_PROXY", "64-bit"
  std::string key, value;
  bool wow = false;  // in the 32-bit view, which not every machine has
};

class ValueKind : public Kind {
 public:
  ValueKind(ItemKind kind, std::string_view prefix) : kind_(kind), prefix_(prefix) {}

  bool Owns(std::string_view item) const final { return item.starts_with(prefix_); }
  Result<void> Plan(Planner& planner) const final;
  Result<std::optional<Drift>> FindDrift(machine::Machine& machine, std::string_view item,
                                         const LedgerEntry& entry) const final;
  // By what the values mean, as Plan and FindDrift do: another program may have written ours in another form.
  Result<Rebased> Rebase(machine::Machine& machine, const Operation& operation) const final;
  Change ChangeOf(std::string_view item, const Operation& operation) const final;
  void Bake(const DesiredState& desired, bool closed, images::RegKey& machine) const final;

 protected:
  virtual const std::vector<ValuePlace>& Places() const = 0;
  // The value to write. `now` is the machine's present value: parts of it that are not ours may be kept.
  virtual std::optional<images::RegValue> Wanted(const DesiredState& desired, const ValuePlace& place,
                                                 const std::optional<images::RegValue>& now) const = 0;
  virtual bool Same(const ValuePlace& place, const images::RegValue& a, const images::RegValue& b) const = 0;
  virtual std::string Show(const ValuePlace& place, const images::RegValue& value) const = 0;  // without secrets
  virtual ValueParts PartsOf(const ValuePlace& place, const images::RegValue& value) const = 0;
  std::optional<ScriptPlace> ScriptPlaceOf(std::string_view item) const;  // for kinds that the script sets

 private:
  friend class ValuePlan;
  const ValuePlace* Find(std::string_view item) const;
  // The change from one value of a place to another.
  Change Describe(const ValuePlace& place, Action action, const std::optional<images::RegValue>& before,
                  const std::optional<images::RegValue>& after) const;

  ItemKind kind_;
  std::string_view prefix_;
};

}  // namespace prov::reconcile
