#include "provisioner/reconcile/drift.h"

#include <algorithm>

#include "images/hive/descriptor.h"
#include "provisioner/reconcile/items.h"

namespace prov::reconcile {
namespace {

using images::RegValue;

class Finder {
 public:
  Finder(machine::Machine& machine, bool yield_environment, std::vector<Drift>& out)
      : machine_(machine), yield_environment_(yield_environment), out_(out) {}

  Result<void> Look(std::string_view item, const LedgerEntry& entry) {
    if (!entry.ours) return {};
    if (item.starts_with(kEnvironmentItem)) return Variable(item.substr(kEnvironmentItem.size()), *entry.ours);
    if (item.starts_with(kWinHttpItem)) return WinHttp(item.substr(kWinHttpItem.size()), *entry.ours);
    if (item.starts_with(kWinInetItem)) return WinInet(item, *entry.ours);
    if (item.starts_with(kServiceSecurityItem)) return Security(item.substr(kServiceSecurityItem.size()), *entry.ours);
    if (item.starts_with(kServiceItem)) return Service(item.substr(kServiceItem.size()), entry);
    if (item.starts_with(kCertificateItem)) return Certificate(item, *entry.ours);
    return Unknown(item);
  }

 private:
  Result<void> Variable(std::string_view name, const RegValue& ours) {
    const auto now = PROV_TRY(machine_.registry.Read(EnvironmentKeyPath(), name));
    Compare(ItemKind::kEnvironment, std::string(name), now.has_value(), now && SameVariable(name, *now, ours));
    return {};
  }

  Result<void> WinHttp(std::string_view view, const RegValue& ours) {
    const std::size_t index = view == kWinHttpViews[0] ? 0 : 1;
    const auto now = PROV_TRY(machine_.registry.Read(WinHttpKeyPath(index), kWinHttpValue));
    Compare(ItemKind::kWinHttp, std::string(view) + "-bit", now.has_value(), now && SameWinHttp(*now, ours));
    return {};
  }

  Result<void> WinInet(std::string_view item, const RegValue& ours) {
    const auto& places = WinInetPlaces();
    const auto place = std::ranges::find(places, item.substr(kWinInetItem.size()), &WinInetPlace::item);
    if (place == places.end()) return Unknown(item);
    const auto now = PROV_TRY(machine_.registry.Read(WinInetKeyPath(*place), place->value));
    Compare(ItemKind::kWinInet, place->label, now.has_value(), now && SameWinInet(*place, *now, ours));
    return {};
  }

  Result<void> Service(std::string_view service, const LedgerEntry& entry) {
    const auto now = PROV_TRY(machine_.registry.Read(ServiceKeyPath(service), kServiceEnvironmentValue));
    const auto entries = ServiceEntries(now).value_or(std::vector<std::string>());
    const auto ours = ServiceEntries(entry.ours).value_or(std::vector<std::string>());
    const bool same = std::ranges::all_of(
        ours, [&](const std::string& one) { return std::ranges::find(entries, one) != entries.end(); });
    Compare(ItemKind::kServiceEnvironment, std::string(service), now.has_value(), same);
    return {};
  }

  Result<void> Security(std::string_view service, const RegValue& ours) {
    const std::string key = ServiceKeyPath(service);
    const bool there = PROV_TRY(machine_.registry.KeyExists(key));
    const std::string now = PROV_TRY(machine_.registry.Security(key));
    const bool closed = there && images::IsForAdministratorsOnly(now, images::OthersGranted(ours.data));
    Compare(ItemKind::kService, std::string(service), there, closed);
    return {};
  }

  Result<void> Certificate(std::string_view item, const RegValue& ours) {
    const bool there = PROV_TRY(machine_.certificates.Contains(StoreOfItem(item), ours.data));
    Compare(ItemKind::kCertificate, std::string(NameOf(StoreOfItem(item))) + " " + ours.name, there, there);
    return {};
  }

  static std::unexpected<Error> Unknown(std::string_view item) {
    return Fail(Code::kType, "the ledger holds an item of a kind that this version does not know; use a newer one",
                std::string(item));
  }

  void Compare(ItemKind kind, std::string name, bool there, bool same) {
    const bool yields = yield_environment_ && kind == ItemKind::kEnvironment;
    if (!same) out_.push_back({kind, std::move(name), !there, yields});
  }

  machine::Machine& machine_;
  bool yield_environment_;
  std::vector<Drift>& out_;
};

}  // namespace

Result<std::vector<Drift>> FindDrift(machine::Machine& machine, const Ledger& ledger, bool yield_environment) {
  std::vector<Drift> out;
  Finder finder(machine, yield_environment, out);
  for (const auto& [item, entry] : ledger) PROV_TRY(finder.Look(item, entry));
  return out;
}

}  // namespace prov::reconcile
