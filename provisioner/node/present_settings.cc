#include "provisioner/node/present_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "provisioner/machine/certificate_blob.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/pki/certificate.h"
#include "provisioner/reconcile/environment.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/machine_record.h"

namespace prov::node {
namespace {

std::string RootStoreKey() { return R"(SOFTWARE\)" + machine::CertificateStoreKey(pki::Store::kRoot); }

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

// A certificate that can't be parsed is left out, as no client can use it.
Result<std::vector<pki::Certificate>> ReadRootStore(machine::Registry& registry) {
  std::vector<pki::Certificate> out;
  for (const std::string& name : PROV_TRY(registry.Subkeys(RootStoreKey()))) {
    const std::string key = fmt::format("{}\\{}", RootStoreKey(), name);
    const auto blob = PROV_TRY(registry.Read(key, machine::kCertificateBlob));
    const auto der = blob ? machine::CertificateInBlob(blob->data) : std::nullopt;
    if (!der) continue;
    if (auto certificate = pki::ParseCertificate(*der, key)) out.push_back(*std::move(certificate));
  }
  return out;
}

Result<void> AddTrust(OpenNode& node, egress::EgressConfig& config) {
  config.certificates = PROV_TRY(ReadOwnCertificates(node));
  const std::size_t own = config.certificates.size();
  config.trust_file.path = own == 0 ? RootStoreKey() : "the certificates of provisioner";
  if (own == 0 && PROV_TRY(node.machine.system.BootId()).empty())
    config.certificates = PROV_TRY(ReadRootStore(node.machine.registry));
  config.trust_file.present = !config.certificates.empty();
  AddInfo(config.findings, "present-trust",
          own == 0 ? "provisioner has put no certificate here, so the ROOT store is what is trusted"
                   : fmt::format("trusted are the certificates that provisioner has put here ({}), and no others", own),
          node.host.Name());
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

Result<std::vector<std::string>> ReadStartEntries(machine::Registry& registry, std::string_view service) {
  const auto of_machine = PROV_TRY(ReadMachineEntries(registry));
  if (service.empty()) return of_machine;
  const auto own = reconcile::EntriesIn(
      PROV_TRY(registry.Read(reconcile::ServiceKeyPath(service), reconcile::kServiceEnvironmentValue)));
  std::vector<std::string> out;
  for (const std::string_view name : egress::kProxyVariables) {
    const bool has_own = std::ranges::any_of(own, [&](const auto& entry) { return reconcile::IsEntryOf(entry, name); });
    const std::string value = ValueIn(has_own ? own : of_machine, name);
    if (!value.empty()) out.push_back(fmt::format("{}={}", name, value));
  }
  return out;
}

Result<egress::EgressConfig> ReadPresentSettings(OpenNode& given, std::string_view service) {
  RepairedView view(given);
  OpenNode node = PROV_TRY(view.Open());
  egress::EgressConfig out;
  out.source = {.kind = "machine", .name = node.host.Name(), .ignition_version = {}};
  out.proxy_file.path = service.empty() ? reconcile::EnvironmentKeyPath() : reconcile::ServiceKeyPath(service);
  out.proxy_file.present = true;
  SetProxy(PROV_TRY(ReadStartEntries(node.machine.registry, service)), out);
  PROV_TRY(AddTrust(node, out));
  return out;
}

}  // namespace prov::node
