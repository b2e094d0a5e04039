// Restricts who may read the key of a service whose environment holds credentials.
#include <fmt/format.h>

#include <algorithm>

#include "images/registry/descriptor.h"
#include "provisioner/machine/service_account.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/planner.h"
#include "provisioner/reconcile/service_name.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;
using images::Sids;

RegValue Stored(std::string descriptor) { return {"", RegType::kBinary, std::move(descriptor)}; }

// Restricts or restores a key's descriptor. By default, every user of a node may read a service's key.
class ServiceSecurityPlan {
 public:
  ServiceSecurityPlan(Planner& planner, std::string_view service)
      : planner_(planner),
        service_(service),
        item_(ItemKey(kServiceSecurityItem, service)),
        key_(ServiceKeyPath(service_)),
        entry_(planner.Find(item_)) {}

  Result<void> Close() {
    if (!PROV_TRY(planner_.machine().registry.KeyExists(key_))) return {};
    const Sids readers = PROV_TRY(Readers());
    const std::string now = PROV_TRY(planner_.machine().registry.Security(key_));
    const bool closed = images::IsForAdministratorsOnly(now, readers);
    // A key that was closed before us may lack our readers: whoever closed it decided who may read it.
    const bool complete = entry_ == nullptr || std::ranges::all_of(readers, [&](const std::string& sid) {
                            return images::GrantsRead(now, sid);
                          });
    if (closed && complete) {
      Report(Action::kNone, now, now, "");
      return {};
    }
    const std::string wanted = images::ForAdministratorsOnly(now, readers);
    planner_.Add(SecurityWrite{key_, now, wanted, item_});
    planner_.Own(item_, {entry_ == nullptr ? Stored(now) : entry_->before, Stored(wanted), {}});
    Report(Action::kUpdate, now, wanted, "its environment holds credentials");
    return {};
  }

  Result<void> Open() {
    if (entry_ == nullptr) return {};
    planner_.Disown(item_);
    const std::string now = PROV_TRY(planner_.machine().registry.Security(key_));
    // The key was opened by others, or is gone.
    if (!entry_->before || !images::IsForAdministratorsOnly(now, Given())) return {};
    planner_.AddUndo(SecurityWrite{key_, now, entry_->before->data, item_});
    Report(Action::kUpdate, now, entry_->before->data, "what was there before us");
    return {};
  }

 private:
  // The accounts besides administrators that an earlier run let in.
  Sids Given() const { return entry_ != nullptr && entry_->ours ? images::OthersGranted(entry_->ours->data) : Sids(); }

  Result<Sids> Readers() {
    machine::ServiceReaders readers =
        PROV_TRY(machine::ReadersOf(planner_.machine().registry, planner_.machine().system,
                                    ServiceKeyPath(ServiceOf(service_)), ServiceOf(service_)));
    if (readers.unknown.empty()) return std::move(readers.sids);
    const Sids given = Given();  // from a run that could still reach the account's domain
    if (given.empty()) {
      planner_.Note({Severity::kWarning, "service-account",
                     fmt::format("runs as {}, an account that is not known here: its key is closed without that "
                                 "account, which the next run on the machine itself lets in; a service that reads its "
                                 "own key fails until then",
                                 readers.unknown),
                     key_});
    }
    for (const std::string& sid : given) {
      if (std::ranges::find(readers.sids, sid) == readers.sids.end()) readers.sids.push_back(sid);
    }
    return std::move(readers.sids);
  }

  void Report(Action action, const std::string& before, const std::string& after, std::string reason) {
    planner_.Report(item_, DescribeDescriptors(service_, before, after, action, std::move(reason)));
  }

  Planner& planner_;
  std::string service_, item_, key_;
  const LedgerEntry* entry_;
};

}  // namespace

Change DescribeDescriptors(std::string service, std::string_view before, std::string_view after, Action action,
                           std::string reason) {
  return {ItemKind::kService, action, std::move(service),        ShowDescriptor(before),  ShowDescriptor(after),
          std::move(reason),  {},     PartsOfDescriptor(before), PartsOfDescriptor(after)};
}

Result<void> PlanClosedService(Planner& planner, std::string_view service) {
  return ServiceSecurityPlan(planner, service).Close();
}

Result<void> PlanOpenedService(Planner& planner, std::string_view service) {
  return ServiceSecurityPlan(planner, service).Open();
}

Result<std::optional<Drift>> FindOpenedService(machine::Machine& machine, std::string_view service,
                                               const LedgerEntry& entry) {
  const std::string key = ServiceKeyPath(service);
  const bool there = PROV_TRY(machine.registry.KeyExists(key));
  const std::string now = PROV_TRY(machine.registry.Security(key));
  if (there && images::IsForAdministratorsOnly(now, images::OthersGranted(entry.ours->data))) return std::nullopt;
  std::string name = PROV_TRY(SpellingOfService(machine.registry, service));
  return DriftOf(DescribeDescriptors(std::move(name), entry.ours->data, now), !there);
}

}  // namespace prov::reconcile
