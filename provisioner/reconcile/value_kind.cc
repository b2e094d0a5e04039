#include "provisioner/reconcile/value_kind.h"

#include <algorithm>

#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/planner.h"

namespace prov::reconcile {

using images::RegValue;

class ValuePlan {
 public:
  ValuePlan(Planner& planner, const ValueKind& kind, const ValuePlace& place, std::optional<RegValue> now)
      : planner_(planner),
        kind_(kind),
        place_(place),
        item_(ItemKey(kind.prefix_, place.id)),
        now_(std::move(now)),
        wanted_(kind.Wanted(planner.desired(), place, now_)),
        entry_(planner.Find(item_)) {}

  // Returns whether the value will be written or removed.
  Result<bool> Run() {
    if (wanted_) return PROV_TRY(Want());
    if (entry_ == nullptr && planner_.options().reports_staying && now_ && IsProxy()) {
      Report(Action::kNone, now_, std::string(kStays));
    }
    return entry_ != nullptr && LetGo();
  }

 private:
  bool Same(const RegValue& a, const RegValue& b) const { return kind_.Same(place_, a, b); }
  // Windows itself has some of the values, for "direct".
  bool IsProxy() const {
    return std::ranges::any_of(kind_.PartsOf(place_, *now_), [](const ValuePart& part) {
      return part.form != ValuePart::Form::kText && !part.value.empty();
    });
  }
  bool IsOurs() const { return entry_ != nullptr && now_ && entry_->ours && Same(*now_, *entry_->ours); }

  void Report(Action action, const std::optional<RegValue>& after, std::string reason) {
    Change change = kind_.Describe(place_, action, now_, after);
    change.reason = std::move(reason);
    planner_.Report(item_, std::move(change));
  }

  Result<bool> Want() {
    if (now_ && Same(*now_, *wanted_)) return Keep();
    if (kind_.Yields(planner_.options()) && !IsOurs()) {
      planner_.Disown(item_);
      Report(Action::kYield, now_, "the Windows Machine Config Operator's daemon owns it here");
      return false;
    }
    LedgerEntry entry = entry_ != nullptr ? *entry_ : LedgerEntry{now_, {}, {}};
    for (std::string& key : PROV_TRY(MissingKeys(planner_.machine().registry, place_.key))) {
      if (std::ranges::find(entry.own_keys, key) == entry.own_keys.end()) entry.own_keys.push_back(std::move(key));
    }
    entry.ours = wanted_;
    planner_.Add(RegistryWrite{place_.key, place_.value, now_, wanted_, entry.own_keys, item_});
    const bool drifted = entry_ != nullptr && !IsOurs();
    Report(now_ ? Action::kUpdate : Action::kCreate, wanted_,
           drifted ? (now_ ? "was changed since we set it" : "was removed since we set it") : "");
    planner_.Own(item_, std::move(entry));
    return true;
  }

  bool Keep() {
    const bool adopt = !IsOurs() && planner_.options().adopt;
    if (adopt) {
      LedgerEntry entry = entry_ != nullptr ? *entry_ : LedgerEntry();
      entry.ours = now_;
      planner_.Own(item_, std::move(entry));
    }
    Report(adopt ? Action::kAdopt : Action::kNone, now_, adopt ? std::string(planner_.options().adopt_reason) : "");
    return false;
  }

  bool LetGo() {
    planner_.Disown(item_);
    if (kind_.Yields(planner_.options()) && !kind_.IsInScope(planner_.desired().scope)) {
      // The daemon would set it again, and reboot the node for it.
      Report(Action::kYield, now_, "left to the Windows Machine Config Operator's daemon");
      return false;
    }
    if (!IsOurs()) {
      Report(Action::kYield, now_, now_ ? "was changed since we set it; left as it is" : "is gone already");
      return false;
    }
    planner_.AddUndo(RegistryWrite{place_.key, place_.value, now_, entry_->before, entry_->own_keys, item_});
    Report(entry_->before ? Action::kUpdate : Action::kDelete, entry_->before,
           entry_->before ? "what was there before us" : "no longer wanted");
    return true;
  }

  Planner& planner_;
  const ValueKind& kind_;
  const ValuePlace& place_;
  std::string item_;
  std::optional<RegValue> now_, wanted_;
  const LedgerEntry* entry_;
};

const ValuePlace* ValueKind::Find(std::string_view item) const {
  const auto& places = Places();
  const auto found = std::ranges::find(places, item.substr(prefix_.size()), &ValuePlace::id);
  return found == places.end() ? nullptr : &*found;
}

Change ValueKind::Describe(const ValuePlace& place, Action action, const std::optional<RegValue>& before,
                           const std::optional<RegValue>& after) const {
  const auto show = [&](const std::optional<RegValue>& value) { return value ? Show(place, *value) : std::string(); };
  const auto parts = [&](const std::optional<RegValue>& value) {
    return value ? PartsOf(place, *value) : ValueParts();
  };
  return {kind_, action, place.name, show(before), show(after), {}, {}, parts(before), parts(after)};
}

std::optional<ScriptPlace> ValueKind::ScriptPlaceOf(std::string_view item) const {
  const ValuePlace* const place = Find(item);
  if (place == nullptr) return std::nullopt;
  return ScriptPlace{std::string(item), place->key, place->value};
}

Result<void> ValueKind::Plan(Planner& planner) const {
  machine::Registry& registry = planner.machine().registry;
  const auto& places = Places();
  const bool asks = std::ranges::any_of(places, &ValuePlace::wow);
  const bool wow = asks && PROV_TRY(registry.KeyExists(R"(SOFTWARE\WOW6432Node)"));
  for (const ValuePlace& place : places) {
    if (place.wow && !wow) continue;
    auto now = PROV_TRY(registry.Read(place.key, place.value));
    if (PROV_TRY(ValuePlan(planner, *this, place, std::move(now)).Run()) && NeedsReboot()) planner.NeedReboot();
  }
  return {};
}

Result<std::optional<Drift>> ValueKind::FindDrift(machine::Machine& machine, std::string_view item,
                                                  const LedgerEntry& entry) const {
  const ValuePlace* const place = Find(item);
  if (place == nullptr) return UnknownItem(item);
  const auto now = PROV_TRY(machine.registry.Read(place->key, place->value));
  if (now && Same(*place, *now, *entry.ours)) return std::nullopt;
  return DriftOf(Describe(*place, Action::kUpdate, entry.ours, now), !now);
}

Result<Rebased> ValueKind::Rebase(machine::Machine& machine, const Operation& operation) const {
  RegistryWrite write = std::get<RegistryWrite>(operation);
  const ValuePlace* const place = Find(write.item);
  const auto now = PROV_TRY(machine.registry.Read(write.key, write.name));
  const auto is_now = [&](const std::optional<RegValue>& value) {
    return place != nullptr && now && value && Same(*place, *now, *value);
  };
  if (is_now(write.after)) {
    write.after = now;
  } else if (is_now(write.before)) {
    write.before = now;
  }
  return RebaseWhole(machine, write);
}

Change ValueKind::ChangeOf(std::string_view item, const Operation& operation) const {
  const auto& write = std::get<RegistryWrite>(operation);
  const ValuePlace* const place = Find(item);
  const Action action = ActionOf(write.before.has_value(), write.after.has_value());
  if (place == nullptr) return {kind_, action, std::string(item), {}, {}, {}};
  return Describe(*place, action, write.before, write.after);
}

void ValueKind::Bake(const DesiredState& desired, bool /*closed*/, images::RegKey& machine) const {
  for (const ValuePlace& place : Places()) {
    auto value = Wanted(desired, place, std::nullopt);
    if (value) images::KeyAt(machine, place.key).values.push_back(*std::move(value));
  }
}

}  // namespace prov::reconcile
