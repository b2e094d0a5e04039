// The kind of services' environments: our variables in a list that others may share. Their values come from the
// settings or from the operator's daemon (followed_variables.h). If they hold credentials, the descriptor of the
// service's key is changed with them (service_security.cc). A service under nssm may have a second list, below
// `Parameters`, which wins (docs/formats/environment.md#under-nssm); its items have the names `SERVICE\parameters`.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "images/registry/descriptor.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/reconcile/environment.h"
#include "provisioner/reconcile/followed_variables.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/kind.h"
#include "provisioner/reconcile/nssm.h"
#include "provisioner/reconcile/planner.h"
#include "provisioner/reconcile/script_writer.h"
#include "provisioner/reconcile/service_name.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;
using Entries = std::vector<std::string>;

// The value that holds the list of a service, or of what nssm runs as that service.
std::string_view ValueOf(std::string_view name) {
  return ServiceOf(name) == name ? kServiceEnvironmentValue : kNssmExtra;
}

RegValue Encode(std::string_view value, const Entries& entries) {
  RegValue out = EncodeServiceEnvironment(entries);
  out.name = value;
  return out;
}

// An item's key has the service's name in one case only, so look up how the machine spells it.
Result<std::string> Spelling(machine::Machine& machine, std::string_view item, std::string_view prefix) {
  return SpellingOfService(machine.registry, item.substr(prefix.size()));
}

// The three variables. Of two entries of a variable the later one counts, as for MergeServiceEnvironment.
ValueParts PartsOfList(const std::optional<RegValue>& value) {
  ValueParts out;
  for (const std::string& entry : EntriesIn(value)) {
    const std::string_view name = NameOfEntry(entry);
    const auto is_name = [&](std::string_view one) { return EqualsIgnoreAsciiCase(one, name); };
    if (entry.size() == name.size() || std::ranges::none_of(egress::kProxyVariables, is_name)) continue;
    std::erase_if(out, [&](const ValuePart& part) { return is_name(part.name); });
    out.push_back(VariablePart(name, entry.substr(name.size() + 1)));
  }
  return out;
}

// Shows the three variables without passwords, and nothing else.
std::string ShowList(const std::optional<RegValue>& value) {
  if (!ServiceEntries(value)) return "(not a REG_MULTI_SZ)";
  std::string out;
  for (const ValuePart& part : PartsOfList(value)) {
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", part.name, part.Shown());
  }
  return out;
}

Change DescribeLists(Action action, std::string service, const std::optional<RegValue>& before,
                     const std::optional<RegValue>& after, std::string reason = {}) {
  return {ItemKind::kServiceEnvironment,
          action,
          std::move(service),
          ShowList(before),
          ShowList(after),
          std::move(reason),
          {},
          PartsOfList(before),
          PartsOfList(after)};
}

// The entries of `before` that have the name of one of `ours`.
Entries SameNames(const Entries& before, const Entries& ours) {
  Entries out;
  std::ranges::copy_if(before, std::back_inserter(out), [&](const std::string& entry) {
    return std::ranges::any_of(ours, [&](const std::string& one) { return IsEntryOf(entry, NameOfEntry(one)); });
  });
  return out;
}

// Removes those of `ours` that are unchanged from `entries`, and puts back what was there before us.
Entries TakeOut(Entries entries, const Entries& ours, const Entries& before) {
  return ReplaceEntries(std::move(entries), ours, SameNames(before, ours)).entries;
}

class ServicePlan {
 public:
  // `follows`: the values are those of the operator's daemon.
  ServicePlan(Planner& planner, std::string service, bool follows = false)
      : planner_(planner),
        follows_(follows),
        service_(std::move(service)),
        item_(ItemKey(kServiceItem, service_)),
        key_(ServiceKeyPath(service_)),
        value_(ValueOf(service_)),
        entry_(planner.Find(item_)) {}

  Result<void> Run(const std::vector<EnvironmentVariable>& variables) {
    machine::Registry& registry = planner_.machine().registry;
    if (!PROV_TRY(registry.KeyExists(key_))) {
      planner_.Disown(item_);
      if (!variables.empty()) Report(Action::kNone, {}, "the service does not exist yet; each run checks again");
      return {};
    }
    now_ = PROV_TRY(registry.Read(key_, value_));
    const std::optional<Entries> current = ServiceEntries(now_);
    if (variables.empty()) {
      LetGo(current);
      return {};
    }
    if (!current) {
      planner_.Note({Severity::kWarning, "service-environment",
                     "is not a REG_MULTI_SZ, so Windows does not read it; it is replaced, and kept for a removal",
                     fmt::format("{}\\{}", key_, value_)});
    }
    Want(current.value_or(Entries()), variables);
    return {};
  }

  Result<void> ReportStaying() {
    now_ = PROV_TRY(planner_.machine().registry.Read(key_, value_));
    if (!PartsOfList(now_).empty()) Report(Action::kNone, now_, std::string(kStays));
    return {};
  }

 private:
  void Report(Action action, const std::optional<RegValue>& after, std::string reason) {
    planner_.Report(item_, DescribeLists(action, service_, now_, after, std::move(reason)));
  }

  Entries Before() const { return entry_ == nullptr ? Entries() : EntriesIn(entry_->before); }
  Entries Ours() const { return entry_ == nullptr ? Entries() : EntriesIn(entry_->ours); }

  // What a removal restores. What others have put in the place of an entry of ours was there before us. If nothing of
  // ours is left, that is the whole list: the service was made again, or others replaced it.
  std::optional<RegValue> Earlier(const Entries& entries, const std::vector<EnvironmentVariable>& variables) const {
    Entries held = Ours();
    std::erase_if(held, [&](const std::string& one) { return std::ranges::find(entries, one) == entries.end(); });
    if (held.empty()) return now_;
    Entries out = Before();
    for (const std::string& wanted : OursOf(variables)) {
      if (!SameNames(held, {wanted}).empty()) continue;
      std::erase_if(out, [&](const std::string& one) { return IsEntryOf(one, NameOfEntry(wanted)); });
      std::ranges::copy(SameNames(entries, {wanted}), std::back_inserter(out));
    }
    return SameEntries(out, Before()) ? entry_->before : std::optional(Encode(value_, out));
  }

  void Want(Entries entries, const std::vector<EnvironmentVariable>& variables) {
    LedgerEntry entry{Earlier(entries, variables), Encode(value_, OursOf(variables)), {}};
    Entries unwanted = Ours();
    std::erase_if(unwanted, [&](const std::string& ours) {
      return std::ranges::any_of(variables, [&](const auto& v) { return IsEntryOf(ours, v.name); });
    });
    entries = MergeServiceEnvironment(TakeOut(std::move(entries), unwanted, Before()), variables);
    const RegValue wanted = Encode(value_, entries);
    if (now_ && now_->type == RegType::kMultiSz && ServiceEntries(now_) == entries) {
      const bool adopt = entry_ == nullptr && planner_.options().adopt;
      if (adopt) entry.before = WithoutOurs(entries, variables);
      if (adopt || entry_ != nullptr) planner_.Own(item_, std::move(entry));
      Report(adopt ? Action::kAdopt : Action::kNone, now_, adopt ? std::string(planner_.options().adopt_reason) : "");
      return;
    }
    planner_.Add(RegistryWrite{key_, std::string(value_), now_, wanted, {}, item_});
    planner_.Own(item_, std::move(entry));
    Report(now_ ? Action::kUpdate : Action::kCreate, wanted, ReasonOfWriting());
  }

  std::string ReasonOfWriting() const {
    return fmt::format("{}takes effect when the service starts next",
                       follows_ ? "follows the Windows Machine Config Operator's daemon; " : "");
  }

  // `entries`: nullopt for a value that is no list.
  void LetGo(const std::optional<Entries>& entries) {
    if (entry_ == nullptr) return;
    planner_.Disown(item_);
    if (!now_) {
      Report(Action::kYield, now_, "is gone already");
      return;
    }
    const Entries left = entries ? TakeOut(*entries, Ours(), Before()) : Entries();
    if (!entries || left == *entries) {
      Report(Action::kYield, now_, "was changed since we set it; left as it is");
      return;
    }
    // If only what was there before us is left, restore that value itself, with its bytes and type.
    const std::optional<RegValue> after =
        SameEntries(left, Before()) ? entry_->before : std::optional(Encode(value_, left));
    planner_.AddUndo(RegistryWrite{key_, std::string(value_), now_, after, {}, item_});
    Report(after ? Action::kUpdate : Action::kDelete, after,
           follows_ ? "the Windows Machine Config Operator's daemon has removed the proxy" : "no longer wanted");
  }

  static Entries OursOf(const std::vector<EnvironmentVariable>& variables) {
    return MergeServiceEnvironment({}, variables);
  }

  std::optional<RegValue> WithoutOurs(const Entries& entries, const std::vector<EnvironmentVariable>& variables) const {
    const Entries left = TakeOut(entries, OursOf(variables), {});
    if (left.empty()) return std::nullopt;
    return Encode(value_, left);
  }

  Planner& planner_;
  bool follows_;
  std::string service_, item_, key_;
  std::string_view value_;
  const LedgerEntry* entry_;
  std::optional<RegValue> now_;
};

// Compares variable by variable, because other programs add theirs to the same list. A value before us that was no list
// does not keep our entries in the list that replaced it. The key of a service that is gone is not made again.
Result<Rebased> RebaseList(machine::Machine& machine, RegistryWrite write) {
  const std::optional<RegValue> now = PROV_TRY(machine.registry.Read(write.key, write.name));
  if (write.after && !PROV_TRY(machine.registry.KeyExists(write.key))) {
    write.before = write.after = std::nullopt;
    return Rebased{std::move(write), true, true};
  }
  const Entries to = EntriesIn(write.after);
  const auto entries = ServiceEntries(now);
  if (SameContent(now, write.before) || SameContent(now, write.after) || !entries) return RebaseWhole(machine, write);
  const ReplacedEntries replaced = ReplaceEntries(*entries, EntriesIn(write.before), to);
  const bool is_done = SameEntries(replaced.entries, *entries);
  write.before = now;
  if (is_done) {
    write.after = now;
  } else if (!SameEntries(replaced.entries, to)) {  // else the previous value itself is restored
    write.after = Encode(write.name, replaced.entries);
  }
  return Rebased{std::move(write), is_done, replaced.is_foreign};
}

// The newer entries, and the older ones of other variables, which are still in the service's list.
RegValue BothLists(std::string_view value, const std::optional<RegValue>& older, const std::optional<RegValue>& newer) {
  Entries out = EntriesIn(newer);
  for (const std::string& entry : EntriesIn(older)) {
    const auto same = [&](const std::string& one) {
      return EqualsIgnoreAsciiCase(NameOfEntry(one), NameOfEntry(entry));
    };
    if (std::ranges::none_of(out, same)) out.push_back(entry);
  }
  return Encode(value, out);
}

class Service final : public Kind {
 public:
  bool IsInScope(const Scope& scope) const override { return scope.services; }
  bool Owns(std::string_view item) const override {
    return item.starts_with(kServiceItem) || item.starts_with(kServiceSecurityItem);
  }

  Result<void> Plan(Planner& planner) const override {
    const OperatorVariables followed = PROV_TRY(FollowedVariables(planner));
    std::set<std::string, std::less<>> wanted;
    for (const ServiceEnvironment& said : planner.desired().services) {
      ServiceEnvironment service{said.service, Overridden(said.variables, followed)};
      PROV_TRY(PlanWanted(planner, service, !followed.empty(), wanted));
      if (service.variables.empty() || !PROV_TRY(NssmOverrides(planner.machine().registry, service.service))) continue;
      service.service += kNssmKey;
      if (planner.Find(ItemKey(kServiceItem, service.service)) == nullptr) NoteNssm(planner, service.service);
      PROV_TRY(PlanWanted(planner, service, !followed.empty(), wanted));
    }
    for (const auto& [item, entry] : planner.ledger()) {
      if (wanted.contains(item) || !item.starts_with(kServiceSecurityItem)) continue;
      PROV_TRY(PlanOpenedService(planner, PROV_TRY(Spelling(planner.machine(), item, kServiceSecurityItem))));
    }
    for (const auto& [item, entry] : planner.ledger()) {
      if (wanted.contains(item) || !item.starts_with(kServiceItem)) continue;
      PROV_TRY(ServicePlan(planner, PROV_TRY(Spelling(planner.machine(), item, kServiceItem))).Run({}));
    }
    for (const std::string& item : planner.options().found) {
      if (!item.starts_with(kServiceItem) || planner.Find(item) != nullptr) continue;
      PROV_TRY(ServicePlan(planner, PROV_TRY(Spelling(planner.machine(), item, kServiceItem))).ReportStaying());
    }
    return {};
  }

  Result<std::optional<Drift>> FindDrift(machine::Machine& machine, std::string_view item,
                                         const LedgerEntry& entry) const override {
    if (item.starts_with(kServiceSecurityItem)) {
      return FindOpenedService(machine, item.substr(kServiceSecurityItem.size()), entry);
    }
    const std::string_view service = item.substr(kServiceItem.size());
    const auto now = PROV_TRY(machine.registry.Read(ServiceKeyPath(service), ValueOf(service)));
    if (HoldsEntries(EntriesIn(now), EntriesIn(entry.ours))) return std::nullopt;
    return DriftOf(DescribeLists(Action::kUpdate, PROV_TRY(Spelling(machine, item, kServiceItem)), entry.ours, now),
                   !now);
  }

  Result<Rebased> Rebase(machine::Machine& machine, const Operation& operation) const override {
    const auto* write = std::get_if<RegistryWrite>(&operation);
    return write == nullptr ? RebaseWhole(machine, operation) : RebaseList(machine, *write);
  }

  // If the environment holds entries of others in the place of ours, these may be credentials: do not open the key.
  std::string_view WhyKept(const Operation& operation, const std::vector<Operation>& left) const override {
    const auto* security = std::get_if<SecurityWrite>(&operation);
    if (security == nullptr) return {};
    if (images::IsForAdministratorsOnly(security->after, images::OthersGranted(security->before))) return {};
    const bool is_changed = std::ranges::any_of(left, [&](const Operation& one) {
      const auto* write = std::get_if<RegistryWrite>(&one);
      return write != nullptr && EqualsIgnoreAsciiCase(write->key, security->key);
    });
    return is_changed ? "stays closed, as others changed the environment" : "";
  }

  Change ChangeOf(std::string_view /*item*/, const Operation& operation) const override {
    const auto name = [](const std::string& key) {
      return key.substr(std::min(key.size(), ServiceKeyPath("").size()));
    };
    if (const auto* write = std::get_if<SecurityWrite>(&operation))
      return DescribeDescriptors(name(write->key), write->before, write->after);
    const auto& write = std::get<RegistryWrite>(operation);
    return DescribeLists(ActionOf(write.before.has_value(), write.after.has_value()), name(write.key), write.before,
                         write.after);
  }

  void Bake(const DesiredState& desired, bool closed, images::RegKey& machine) const override {
    for (const ServiceEnvironment& service : desired.services) {
      if (service.variables.empty() || (!closed && HoldsCredentials(service))) continue;
      images::KeyAt(machine, ServiceKeyPath(service.service))
          .values.push_back(EncodeServiceEnvironment(MergeServiceEnvironment({}, service.variables)));
    }
  }

  // Closes the key before the operation that writes a secret into it.
  void WriteForScript(const DesiredState& desired, ScriptWriter& out) const override {
    for (const ServiceEnvironment& service : desired.services) {
      if (service.variables.empty()) continue;
      if (HoldsCredentials(service)) out.Begin(ItemKey(kServiceSecurityItem, service.service)).EndObject();
      JsonWriter& json = out.Begin(ItemKey(kServiceItem, service.service)).Key("value").BeginObject();
      for (const EnvironmentVariable& variable : service.variables) {
        json.Key(variable.name);
        out.Value(variable);
      }
      json.EndObject().EndObject();
    }
  }

  std::optional<ScriptPlace> PlaceInScript(std::string_view item) const override {
    const bool security = item.starts_with(kServiceSecurityItem);
    const std::string_view name = item.substr(security ? kServiceSecurityItem.size() : kServiceItem.size());
    const std::string_view service = ServiceOf(name);
    const bool is_nssms = EqualsIgnoreAsciiCase(name.substr(service.size()), kNssmKey);
    if (!CheckServiceName(is_nssms ? service : name)) return std::nullopt;
    if (security) return ScriptPlace{ItemKey(kServiceSecurityItem, name), {}, {}};
    return ScriptPlace{ItemKey(kServiceItem, name), ServiceKeyPath(name), std::string(ValueOf(name))};
  }

  std::optional<RegValue> OursAfterScript(std::string_view item, const LedgerEntry& own,
                                          const LedgerEntry& script) const override {
    return item.starts_with(kServiceItem) ? BothLists(ValueOf(item), own.ours, script.ours) : script.ours;
  }

 private:
  // Close the key before it holds a secret, and open it after the secret is gone. Undo operations run in reverse order,
  // so one order of planning does both. Adds the items to `wanted`.
  static Result<void> PlanWanted(Planner& planner, const ServiceEnvironment& service, bool follows,
                                 std::set<std::string, std::less<>>& wanted) {
    if (planner.machine().registry.HasSecurity() && HoldsCredentials(service)) {
      wanted.insert(ItemKey(kServiceSecurityItem, service.service));
      PROV_TRY(PlanClosedService(planner, service.service));
    }
    wanted.insert(ItemKey(kServiceItem, service.service));
    return ServicePlan(planner, service.service, follows).Run(service.variables);
  }

  static void NoteNssm(Planner& planner, const std::string& name) {
    planner.Note({Severity::kInfo, "service-nssm",
                  fmt::format("the service runs under nssm, and what is set here comes before its value {}: the "
                              "variables are set here, too",
                              kServiceEnvironmentValue),
                  fmt::format("{}\\{}", ServiceKeyPath(name), kNssmExtra)});
  }
};

}  // namespace

const Kind& ServiceKind() {
  static const Service kind;
  return kind;
}

}  // namespace prov::reconcile
