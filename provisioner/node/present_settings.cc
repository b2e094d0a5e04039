#include "provisioner/node/present_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "provisioner/machine/certificate_blob.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/pki/certificate.h"
#include "provisioner/reconcile/containerd_folders.h"
#include "provisioner/reconcile/environment.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/machine_record.h"
#include "provisioner/reconcile/service_name.h"

namespace prov::node {
namespace {

constexpr std::string_view kVersionKey = R"(SOFTWARE\Microsoft\Windows NT\CurrentVersion)";

// The certificates of the ledger that are in their stores.
Result<std::vector<pki::Certificate>> ReadOwnCertificates(OpenNode& node) {
  std::vector<pki::Certificate> out;
  const auto record = reconcile::LoadMachineRecord(node.machine);  // a script's part of it may be damaged
  for (const auto& [item, entry] : record ? record->ledger : PROV_TRY(reconcile::LoadLedger(node.machine.state))) {
    if (!item.starts_with(reconcile::kCertificateItem) || !entry.ours) continue;
    if (!PROV_TRY(node.machine.certificates.Contains(reconcile::StoreOfItem(item), entry.ours->data))) continue;
    if (auto certificate = pki::ParseCertificate(entry.ours->data, item)) out.push_back(*std::move(certificate));
  }
  return out;
}

// Adds those of the ROOT store that are not in `out`. One that has expired or can't be parsed is left out, as no client
// can use it.
Result<void> AddRootStore(machine::Registry& registry, std::int64_t now, std::vector<pki::Certificate>& out) {
  for (const std::string& store : machine::PhysicalStores(pki::NameOf(pki::Store::kRoot))) {
    for (const std::string& name : PROV_TRY(registry.Subkeys(store))) {
      const std::string key = fmt::format("{}\\{}", store, name);
      const auto blob = PROV_TRY(registry.Read(key, machine::kCertificateBlob));
      const auto der = blob ? machine::CertificateInBlob(blob->data) : std::nullopt;
      if (!der || std::ranges::find(out, *der, &pki::Certificate::der) != out.end()) continue;
      auto certificate = pki::ParseCertificate(*der, key);
      if (certificate && certificate->not_after_unix >= now) out.push_back(*std::move(certificate));
    }
  }
  return {};
}

// The service whose process is containerd, or starts it; "": there is none. One that starts it comes first: kubelet is
// its, too, and both listen at the same pipe.
Result<std::string_view> ServiceOfContainerd(machine::Registry& registry) {
  std::vector<std::string_view> names(reconcile::kContainerdStarters.begin(), reconcile::kContainerdStarters.end());
  names.emplace_back("containerd");
  for (const std::string_view name : names) {
    if (PROV_TRY(registry.KeyExists(reconcile::ServiceKeyPath(name)))) return name;
  }
  return std::string_view();
}

Result<egress::HostsTomlFolders> ReadHostsToml(machine::Machine& machine, std::string_view service) {
  if (reconcile::StartsContainerd(service))
    return egress::HostsTomlFolders{
        {}, fmt::format("{} starts containerd, with a configuration that is not read here", service)};
  const auto containerd = PROV_TRY(reconcile::ReadContainerdFolders(machine));
  if (containerd.config.empty()) return egress::HostsTomlFolders{containerd.folders, "there is no service containerd"};
  return egress::HostsTomlFolders{containerd.folders, containerd.fault.empty()
                                                          ? std::string()
                                                          : fmt::format("{} {}", containerd.config, containerd.fault)};
}

Result<void> AddTrust(OpenNode& node, std::string_view service, egress::EgressConfig& config) {
  config.certificates = PROV_TRY(ReadOwnCertificates(node));
  AddInfo(config.findings, "present-trust",
          fmt::format("these are the settings {}; the whole ROOT store is trusted, and provisioner has put {} "
                      "certificate(s) into the stores",
                      service.empty() ? "of the machine variables" : "that containerd would start with",
                      config.certificates.size()),
          node.host.Name());
  if (config.source.kind == kImageKind)
    PROV_TRY(AddRootStore(node.machine.registry, node.host.clock().NowUnix(), config.certificates));
  config.trust_file.path = "the ROOT store";
  config.trust_file.present = !config.certificates.empty();
  return {};
}

}  // namespace

std::string ValueIn(const std::vector<std::string>& entries, std::string_view name) {
  std::string out;
  for (const std::string& entry : entries) {
    if (reconcile::IsEntryOf(entry, name)) out = entry.substr(name.size() + 1);  // the last one wins
  }
  return out;
}

void SetProxy(const std::vector<std::string>& entries, egress::EgressConfig& config) {
  const auto value = [&](std::string_view name) {
    std::string text = ValueIn(entries, name);
    return text.empty() ? std::nullopt : std::optional(std::move(text));
  };
  if (auto text = value("HTTP_PROXY")) config.http_proxy = Secret(*std::move(text));
  if (auto text = value("HTTPS_PROXY")) config.https_proxy = Secret(*std::move(text));
  config.no_proxy = value("NO_PROXY");
}

Result<std::vector<std::string>> ReadMachineEntries(machine::Registry& registry) {
  std::vector<std::string> out;
  for (const std::string_view name : egress::kProxyVariables) {
    const std::string text = PROV_TRY(machine::ReadText(registry, reconcile::EnvironmentKeyPath(), name));
    if (!text.empty()) out.push_back(fmt::format("{}={}", name, text));
  }
  return out;
}

std::vector<std::string> StartEntries(const std::vector<std::string>& of_machine, const std::vector<std::string>& own) {
  std::vector<std::string> out;
  for (const std::string_view name : egress::kProxyVariables) {
    const bool has_own = std::ranges::any_of(own, [&](const auto& entry) { return reconcile::IsEntryOf(entry, name); });
    const std::string value = ValueIn(has_own ? own : of_machine, name);
    if (!value.empty()) out.push_back(fmt::format("{}={}", name, value));
  }
  return out;
}

Result<std::vector<std::string>> ReadStartEntries(machine::Registry& registry, std::string_view service) {
  auto of_machine = PROV_TRY(ReadMachineEntries(registry));
  if (service.empty()) return of_machine;
  return StartEntries(of_machine, reconcile::EntriesIn(PROV_TRY(registry.Read(reconcile::ServiceKeyPath(service),
                                                                              reconcile::kServiceEnvironmentValue))));
}

Result<std::vector<std::string>> ReadEntriesForContainerd(machine::Registry& registry, std::string_view service) {
  std::vector<std::string> out;
  if (!reconcile::StartsContainerd(service)) return out;
  const auto own = reconcile::EntriesIn(
      PROV_TRY(registry.Read(reconcile::ServiceKeyPath(service), reconcile::kServiceEnvironmentValue)));
  for (const std::string_view name : egress::kProxyVariables) {
    const std::string prefixed = fmt::format("{}{}", reconcile::kContainerdPrefix, name);
    const bool has_own =
        std::ranges::any_of(own, [&](const auto& entry) { return reconcile::IsEntryOf(entry, prefixed); });
    const std::string value = has_own
                                  ? ValueIn(own, prefixed)
                                  : PROV_TRY(machine::ReadText(registry, reconcile::EnvironmentKeyPath(), prefixed));
    if (has_own || !value.empty()) out.push_back(fmt::format("{}={}", name, value));
  }
  return out;
}

std::optional<Finding> ReviewEntriesForContainerd(const std::string& service, const std::vector<std::string>& start,
                                                  const std::vector<std::string>& for_containerd) {
  std::vector<std::string> names;
  for (const std::string& entry : for_containerd) {
    const std::string_view name = reconcile::NameOfEntry(entry);
    if (ValueIn(start, name) != ValueIn(for_containerd, name))
      names.push_back(fmt::format("{}{}", reconcile::kContainerdPrefix, name));
  }
  if (start.empty() || names.empty()) return std::nullopt;
  return Finding{
      Severity::kWarning, "containerd-own-proxy",
      fmt::format("{} {} set, with another value than {} itself gets: containerd takes {}", fmt::join(names, ", "),
                  names.size() == 1 ? "is" : "are", service, names.size() == 1 ? "that one" : "those"),
      service};
}

Result<egress::EgressConfig> ReadPresentSettings(OpenNode& given) {
  RepairedView view(given);
  OpenNode node = PROV_TRY(view.Open());
  egress::EgressConfig out;
  const bool runs = !PROV_TRY(node.machine.system.BootId()).empty();
  const std::string_view service = PROV_TRY(ServiceOfContainerd(node.machine.registry));
  out.source = {
      .kind = std::string(runs ? kMachineKind : kImageKind), .name = node.host.Name(), .ignition_version = {}};
  out.proxy_file.path = service.empty() ? reconcile::EnvironmentKeyPath() : reconcile::ServiceKeyPath(service);
  out.proxy_file.present = true;
  SetProxy(StartEntries(PROV_TRY(ReadStartEntries(node.machine.registry, service)),
                        PROV_TRY(ReadEntriesForContainerd(node.machine.registry, service))),
           out);
  out.node_env_proxy =
      PROV_TRY(machine::ReadText(node.machine.registry, reconcile::EnvironmentKeyPath(), egress::kNodeVariable)) == "1";
  PROV_TRY(AddTrust(node, service, out));
  const std::string build = PROV_TRY(machine::ReadText(node.machine.registry, kVersionKey, "CurrentBuildNumber"));
  if (!build.empty()) out.windows_version = fmt::format("10.0.{}", build);
  out.hosts_toml = PROV_TRY(ReadHostsToml(node.machine, service));
  return out;
}

}  // namespace prov::node
