// The kind of layer-4 proxy policies on the endpoints of pods. An item is an endpoint. Endpoints come and go with their
// pods, so items that are gone are dropped from the ledger. Failures of HNS or crictl never stop the other kinds.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "provisioner/hns/endpoint.h"
#include "provisioner/hns/endpoint_change.h"
#include "provisioner/hns/pods.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/kind.h"
#include "provisioner/reconcile/planner.h"

namespace prov::reconcile {
namespace {

using hns::Endpoint;
using Settings = std::vector<std::string>;

bool Same(const Settings& present, const Settings& wanted) { return hns::ChangeToEnsure(present, wanted).IsEmpty(); }

std::optional<images::RegValue> ValueOf(const Settings& settings) {
  return settings.empty() ? std::nullopt : std::optional(EncodeSettings(settings));
}

// "in 15003, out 15001": where the traffic of an endpoint goes.
std::string ShowPolicies(const Settings& settings) {
  std::string out;
  for (const std::string& one : settings) {
    const Result<JsonNode> root = ParseJsonDocument(one, "settings");
    const auto port = [&](std::string_view name) {
      const auto node = root ? root->Find(name) : Result<std::optional<JsonNode>>(std::nullopt);
      const auto text = node && *node ? (*node)->Text() : Result<std::string>(std::string());
      return text.value_or(std::string());
    };
    std::string ports;
    for (const auto& [name, words] :
         {std::pair("Port", "in and out "), {"InboundProxyPort", "in "}, {"OutboundProxyPort", "out "}}) {
      const std::string number = port(name);
      if (!number.empty()) ports += (ports.empty() ? "" : ", ") + std::string(words) + number;
    }
    out += (out.empty() ? "" : "; ") + (ports.empty() ? std::string("no port") : ports);
  }
  return out;
}

// As `hns-proxy list` has them.
ValueParts PartsOfPolicies(const Settings& settings) {
  const std::string all = fmt::format("[{}]", fmt::join(settings, ","));
  if (settings.empty() || !ParseJsonDocument(all, "settings")) return {};
  return {{"policies", Secret(all), ValuePart::Form::kObjects}};
}

Change DescribePolicies(Action action, std::string id, const Settings& before, const Settings& after,
                        std::string reason = {}) {
  return {ItemKind::kHns,    action, std::move(id),           ShowPolicies(before),  ShowPolicies(after),
          std::move(reason), {},     PartsOfPolicies(before), PartsOfPolicies(after)};
}

class EndpointPlan {
 public:
  EndpointPlan(Planner& planner, Endpoint now)
      : planner_(planner), now_(std::move(now)), item_(ItemKey(kHnsItem, now_.id)), entry_(planner.Find(item_)) {}

  void Want(const Settings& wanted) {
    if (Same(now_.settings, wanted)) {
      Keep();
      return;
    }
    LedgerEntry entry = entry_ != nullptr ? *entry_ : LedgerEntry{ValueOf(now_.settings), {}, {}};
    const bool drifted = entry_ != nullptr && !IsOurs();
    entry.ours = EncodeSettings(wanted);
    planner_.Add(EndpointWrite{now_.id, now_.settings, wanted, item_});
    planner_.Own(item_, std::move(entry));
    Report(now_.settings.empty() ? Action::kCreate : Action::kUpdate, wanted,
           drifted ? (now_.settings.empty() ? "was removed since we set it" : "was changed since we set it") : "");
  }

  void LetGo() {
    planner_.Disown(item_);
    if (!IsOurs()) {
      Report(Action::kYield, now_.settings,
             now_.settings.empty() ? "is gone already" : "was changed since we set it; left as it is");
      return;
    }
    const Settings before = DecodeSettings(entry_->before);
    planner_.AddUndo(EndpointWrite{now_.id, now_.settings, before, item_});
    Report(before.empty() ? Action::kDelete : Action::kUpdate, before,
           before.empty() ? "no longer wanted" : "what was there before us");
  }

 private:
  bool IsOurs() const { return entry_ != nullptr && Same(now_.settings, DecodeSettings(entry_->ours)); }

  // Owns the endpoint again if it has the wanted policies although the ledger has others: HNS may have refused an
  // earlier change back.
  void Keep() {
    const bool adopt = !IsOurs() && planner_.options().adopt;
    if (adopt || (entry_ != nullptr && !IsOurs())) {
      LedgerEntry entry = entry_ != nullptr ? *entry_ : LedgerEntry();
      entry.ours = EncodeSettings(now_.settings);
      planner_.Own(item_, std::move(entry));
    }
    Report(adopt ? Action::kAdopt : Action::kNone, now_.settings,
           adopt ? std::string(planner_.options().adopt_reason) : "");
  }

  void Report(Action action, const Settings& after, std::string reason) {
    planner_.Report(item_, DescribePolicies(action, now_.id, now_.settings, after, std::move(reason)));
  }

  Planner& planner_;
  Endpoint now_;
  std::string item_;
  const LedgerEntry* entry_;
};

Finding Failure(const std::string& id, const Error& error) {
  return {Severity::kWarning, "hns-endpoint", error.message, id};
}

const LedgerEntry* AnyPod(const Ledger& ledger) {
  const auto found = std::ranges::find_if(ledger, [](const auto& one) { return one.first.starts_with(kHnsItem); });
  return found == ledger.end() ? nullptr : &found->second;
}

// The endpoints that are to have the policies.
Result<Settings> WantedEndpoints(Planner& planner) {
  const std::optional<PodPolicies>& wanted = planner.desired().hns;
  if (!wanted) return Settings();
  machine::Machine& machine = planner.machine();
  PROV_TRY(hns::RequireProxyPolicies(machine.network));
  return hns::EndpointsOfPods(machine.network, machine.programs, wanted->pods);
}

class Hns final : public Kind {
 public:
  bool IsInScope(const Scope& scope) const override { return scope.hns; }
  bool Owns(std::string_view item) const override { return item.starts_with(kHnsItem); }

  Result<void> Plan(Planner& planner) const override {
    const bool ours = std::ranges::any_of(planner.ledger(), [&](const auto& one) { return Owns(one.first); });
    if (!planner.desired().hns && !ours) return {};
    if (PROV_TRY(planner.machine().system.BootId()).empty()) return {};  // an image runs no pods
    const Result<Settings> ids = WantedEndpoints(planner);
    if (!ids) {
      planner.Note({Severity::kWarning, "hns-unavailable",
                    fmt::format("policies for pods are left as they are: {}", ids.error().message), ids.error().where});
      return {};
    }
    NoteNoPods(planner, *ids);
    std::set<std::string> wanted;
    for (const std::string& id : *ids) {
      if (wanted.insert(ItemKey(kHnsItem, id)).second) PlanWanted(planner, id);
    }
    for (const auto& [item, entry] : planner.ledger()) {
      if (Owns(item) && !wanted.contains(item)) PlanUnwanted(planner, item);
    }
    return {};
  }

  Result<std::optional<Drift>> FindDrift(machine::Machine& machine, std::string_view item,
                                         const LedgerEntry& entry) const override {
    if (PROV_TRY(machine.system.BootId()).empty()) return std::nullopt;
    const std::string id(item.substr(kHnsItem.size()));
    const auto found = hns::ReadEndpoint(machine.network, id);
    const Settings ours = DecodeSettings(entry.ours);
    if (!found)
      return DriftOf(DescribePolicies(Action::kUpdate, id, ours, {}), false);  // unknown, so not as we left it
    if (!*found || Same((**found).settings, ours)) return std::nullopt;
    const Settings& now = (**found).settings;
    return DriftOf(DescribePolicies(Action::kUpdate, id, ours, now), now.empty());
  }

  Change ChangeOf(std::string_view /*item*/, const Operation& operation) const override {
    const auto& write = std::get<EndpointWrite>(operation);
    return DescribePolicies(ActionOf(!write.before.empty(), !write.after.empty()), write.endpoint, write.before,
                            write.after);
  }

  // Pods come and go, and HNS may refuse a policy or report success without applying it. A failure on one endpoint is
  // only a finding: the other endpoints and the node's own settings go on. It counts as drift until a later run repairs
  // it.
  std::optional<Finding> MayFail(const Operation& operation, const Error& error) const override {
    if (error.code != Code::kHns && error.code != Code::kTarget) return std::nullopt;
    return Failure(std::get<EndpointWrite>(operation).endpoint, error);
  }

  std::optional<LedgerEntry> OursAfterFailure(const Operation& back) const override {
    const auto& write = std::get<EndpointWrite>(back);
    if (write.before.empty()) return std::nullopt;
    return LedgerEntry{ValueOf(write.after), ValueOf(write.before), {}};
  }

  bool ChangesTheNode() const override { return false; }

  // The pods that got their policies in a round after the run. If that run set or changed the policy, theirs is taken
  // back too; otherwise they keep it, and it stays ours. The first run counts as having set it even if there was no pod
  // yet, as at the first boot.
  void AddLaterItems(const Ledger& now, Run& back) const override {
    const LedgerEntry* const given = AnyPod(back.ledger_before);
    const std::optional<LedgerEntry> earlier =
        AnyPod(back.ledger_after) != nullptr ? std::optional(*AnyPod(back.ledger_after)) : std::nullopt;
    const bool changed = back.ledger_after.empty() || (given != nullptr && (!earlier || earlier->ours != given->ours));
    for (const auto& [item, entry] : now) {
      if (!Owns(item) || back.ledger_before.contains(item)) continue;
      LedgerEntry then = entry;
      back.ledger_before[item] = entry;
      if (changed) {
        then.ours = earlier ? earlier->ours : std::nullopt;
        back.operations.emplace_back(EndpointWrite{item.substr(kHnsItem.size()), DecodeSettings(entry.ours),
                                                   DecodeSettings(earlier ? earlier->ours : entry.before), item});
      }
      if (then.ours) back.ledger_after[item] = std::move(then);
    }
  }

  void Bake(const DesiredState& /*desired*/, bool /*closed*/, images::RegKey& /*machine*/) const override {}

 private:
  // A namespace without pods is reported: its name may be misspelled.
  static void NoteNoPods(Planner& planner, const Settings& ids) {
    const std::optional<PodPolicies>& wanted = planner.desired().hns;
    if (!wanted || wanted->pods == hns::kAllPods || !ids.empty()) return;
    planner.Note({Severity::kInfo, "hns-no-pods",
                  fmt::format("no pod in the namespace {} has an endpoint on this node, so no pod gets the policy now; "
                              "check the name if you expected one",
                              wanted->pods),
                  "--hns-pods"});
  }

  static void PlanWanted(Planner& planner, const std::string& id) {
    const auto now = hns::ReadEndpoint(planner.machine().network, id);
    if (!now) return planner.Note(Failure(id, now.error()));
    if (!*now || (**now).is_remote) return planner.Disown(ItemKey(kHnsItem, id));
    EndpointPlan(planner, **now).Want(planner.desired().hns->settings);
  }

  static void PlanUnwanted(Planner& planner, const std::string& item) {
    const std::string id = item.substr(kHnsItem.size());
    const auto now = hns::ReadEndpoint(planner.machine().network, id);
    if (!now) return planner.Note(Failure(id, now.error()));
    if (!*now) return planner.Disown(item);
    EndpointPlan(planner, **now).LetGo();
  }
};

}  // namespace

const Kind& HnsKind() {
  static const Hns kind;
  return kind;
}

}  // namespace prov::reconcile
