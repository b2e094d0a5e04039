#include "provisioner/reconcile/planner.h"

#include <algorithm>

#include "images/hive/descriptor.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::reconcile {
namespace {

using images::RegValue;

class ValuePlan {
 public:
  ValuePlan(Planner& planner, const ValueItem& item, std::optional<RegValue> now)
      : planner_(planner), item_(item), now_(std::move(now)), entry_(planner.Find(item.item)) {}

  Result<bool> Run() {
    if (item_.desired) return PROV_TRY(Want());
    return entry_ != nullptr && LetGo();
  }

 private:
  bool IsOurs() const { return entry_ != nullptr && now_ && entry_->ours && item_.equivalent(*now_, *entry_->ours); }
  std::string Show(const std::optional<RegValue>& value) const { return value ? item_.show(*value) : std::string(); }

  void Report(Action action, const std::optional<RegValue>& after, std::string reason) {
    planner_.Report({item_.kind, action, item_.name, Show(now_), Show(after), std::move(reason)});
  }

  Result<bool> Want() {
    if (now_ && item_.equivalent(*now_, *item_.desired)) return Keep();
    if (item_.yields && !IsOurs()) {
      planner_.Disown(item_.item);
      Report(Action::kYield, now_, "the Windows Machine Config Operator's daemon owns it here");
      return false;
    }
    LedgerEntry entry = entry_ != nullptr ? *entry_ : LedgerEntry{now_, {}, {}};
    for (std::string& key : PROV_TRY(MissingKeys(planner_.machine().registry, item_.key))) {
      if (std::ranges::find(entry.own_keys, key) == entry.own_keys.end()) entry.own_keys.push_back(std::move(key));
    }
    entry.ours = item_.desired;
    planner_.Give(RegistryWrite{item_.key, item_.value, now_, item_.desired, entry.own_keys});
    const bool drifted = entry_ != nullptr && !IsOurs();
    Report(now_ ? Action::kUpdate : Action::kCreate, item_.desired,
           drifted ? (now_ ? "was changed since we set it" : "was removed since we set it") : "");
    planner_.Own(item_.item, std::move(entry));
    return true;
  }

  bool Keep() {
    const bool adopt = entry_ == nullptr && planner_.options().adopt;
    if (adopt) planner_.Own(item_.item, {std::nullopt, now_, {}});
    Report(adopt ? Action::kAdopt : Action::kNone, now_, adopt ? "baked before the first boot" : "");
    return false;
  }

  bool LetGo() {
    planner_.Disown(item_.item);
    if (!IsOurs()) {
      Report(Action::kYield, now_, now_ ? "was changed since we set it; left as it is" : "is gone already");
      return false;
    }
    planner_.TakeBack(RegistryWrite{item_.key, item_.value, now_, entry_->before, entry_->own_keys});
    Report(entry_->before ? Action::kUpdate : Action::kDelete, entry_->before,
           entry_->before ? "what was there before us" : "no longer wanted");
    return true;
  }

  Planner& planner_;
  const ValueItem& item_;
  std::optional<RegValue> now_;
  const LedgerEntry* entry_;
};

// LocalService, NetworkService, or an account of a machine or a domain; groups that Windows itself has are neither.
bool IsSingleAccount(std::string_view sid) {
  return sid == "S-1-5-19" || sid == "S-1-5-20" || sid.starts_with("S-1-5-21-");
}

}  // namespace

const LedgerEntry* Planner::Find(std::string_view item) const {
  const auto found = plan_.ledger_before.find(item);
  return found == plan_.ledger_before.end() ? nullptr : &found->second;
}

void Planner::Note(Severity severity, std::string code, std::string message, std::string where) {
  plan_.findings.push_back({severity, std::move(code), std::move(message), std::move(where)});
}

Plan Planner::Finish() && {
  std::ranges::reverse(takes_);
  plan_.operations = std::move(gives_);
  plan_.operations.insert(plan_.operations.end(), takes_.begin(), takes_.end());
  return std::move(plan_);
}

Result<bool> PlanValue(Planner& planner, const ValueItem& item) {
  return ValuePlan(planner, item, PROV_TRY(planner.machine().registry.Read(item.key, item.value))).Run();
}

std::string ShowVariable(std::string_view name, std::string_view value) {
  return EqualsIgnoreAsciiCase(name, "NO_PROXY") ? std::string(value) : egress::RedactUrl(value);
}

std::string ShowDescriptor(std::string_view descriptor) {
  if (descriptor.empty()) return {};
  const images::Sids others = images::OthersGranted(descriptor);
  std::string out = "SYSTEM and Administrators";
  for (const std::string& sid : others) {
    const std::string text = images::SidText(sid);
    if (!IsSingleAccount(text)) return "others, too";
    out += ", " + text;
  }
  return images::IsForAdministratorsOnly(descriptor, others) ? out : "others, too";
}

std::optional<std::string> StringOf(const RegValue& value) {
  std::string_view data = value.data;
  constexpr std::string_view kNul("\0\0", 2);
  if (data.size() % 2 == 0 && data.ends_with(kNul)) data.remove_suffix(2);
  return FromUtf16Le(data);
}

}  // namespace prov::reconcile
