#include "provisioner/reconcile/service_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "images/registry/hive_names.h"
#include "provisioner/base/suggestion.h"
#include "provisioner/base/text.h"
#include "provisioner/machine/services.h"

namespace prov::reconcile {
namespace {

constexpr std::size_t kMostUnits = 256;  // MAX_SERVICE_NAME_LENGTH, MS-SCMR 2.2.1

// Of OpenShift's nodes, of AKS', which spell kube-proxy differently, and of Rancher's and k0s'.
constexpr std::array<std::string_view, 13> kNodeServices = {"containerd",
                                                            "kubelet",
                                                            "kube-proxy",
                                                            "kubeproxy",
                                                            "csi-proxy",
                                                            "docker",
                                                            "windows-instance-config-daemon",
                                                            "windows_exporter",
                                                            "hybrid-overlay-node",
                                                            "azure-cloud-node-manager",
                                                            "rke2",
                                                            "rancher-wins",
                                                            "k0sworker"};

bool IsAllowed(char16_t unit) {
  const bool control = unit < 0x20 || (unit >= 0x7F && unit < 0xA0);
  return !control && unit != u'/' && unit != u'\\';
}

}  // namespace

Result<void> CheckServiceName(std::string_view name) {
  const auto units = IsUtf8(name) ? images::regf::NameFromUtf8(name) : std::nullopt;
  if (units && !units->empty() && units->size() <= kMostUnits && std::ranges::all_of(*units, IsAllowed)) return {};
  return Fail(Code::kUsage,
              fmt::format("not a service's name: Windows takes 1 to {} characters, no slash, backslash or control "
                          "character. Pass the name that \"sc query\" shows, not the display name.",
                          kMostUnits),
              fmt::format("--service {}", Printable(name)));
}

std::string ServiceNameKey(std::string_view name) {
  const auto units = images::regf::NameFromUtf8(name);
  return AsciiLower(units ? images::regf::NameToUtf8(images::regf::Upcase(*units)) : name);
}

bool IsSameService(std::string_view a, std::string_view b) { return ServiceNameKey(a) == ServiceNameKey(b); }

bool IsNodeService(std::string_view name) {
  return std::ranges::any_of(kNodeServices, [&](std::string_view known) { return IsSameService(known, name); });
}

std::string SuggestNodeService(std::string_view name) {
  return IsNodeService(name) ? std::string() : DidYouMean(name, kNodeServices);
}

bool StartsContainerd(std::string_view service) {
  return std::ranges::any_of(kContainerdStarters, [&](std::string_view one) { return IsSameService(one, service); });
}

Result<std::string> SpellingOfService(machine::Registry& registry, std::string_view name) {
  for (std::string& spelling : PROV_TRY(registry.Subkeys(machine::kServicesKey))) {
    if (IsSameService(spelling, name)) return std::move(spelling);
  }
  return std::string(name);
}

}  // namespace prov::reconcile
