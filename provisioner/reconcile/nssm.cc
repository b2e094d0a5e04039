#include "provisioner/reconcile/nssm.h"

#include <algorithm>
#include <utility>

#include "provisioner/egress/egress_config.h"
#include "provisioner/reconcile/environment.h"
#include "provisioner/reconcile/items.h"

namespace prov::reconcile {
namespace {

constexpr std::string_view kReplacing = "AppEnvironment";  // replaces the whole environment

bool HasProxy(const std::vector<std::string>& entries) {
  return std::ranges::any_of(entries, [](const std::string& entry) {
    return std::ranges::any_of(egress::kProxyVariables, [&](std::string_view name) { return IsEntryOf(entry, name); });
  });
}

Result<std::vector<std::string>> List(machine::Registry& registry, std::string_view service, std::string_view value) {
  return EntriesIn(PROV_TRY(registry.Read(ServiceKeyPath(service) + std::string(kNssmKey), value)));
}

}  // namespace

Result<bool> NssmOverrides(machine::Registry& registry, std::string_view service) {
  return HasProxy(PROV_TRY(List(registry, service, kNssmExtra))) ||
         !PROV_TRY(List(registry, service, kReplacing)).empty();
}

Result<std::vector<std::string>> ServicesWithNssmProxy(machine::Registry& registry) {
  std::vector<std::string> out;
  for (std::string& service : PROV_TRY(registry.Subkeys(machine::kServicesKey))) {
    const bool has_proxy = HasProxy(PROV_TRY(List(registry, service, kNssmExtra))) ||
                           HasProxy(PROV_TRY(List(registry, service, kReplacing)));
    if (has_proxy) out.push_back(std::move(service));
  }
  return out;
}

}  // namespace prov::reconcile
