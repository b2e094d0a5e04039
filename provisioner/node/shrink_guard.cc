#include "provisioner/node/shrink_guard.h"

#include <fmt/format.h>

#include <set>
#include <string>

#include "provisioner/node/settings.h"
#include "provisioner/reconcile/certificate_item.h"
#include "provisioner/reconcile/machine_record.h"

namespace prov::node {
namespace {

constexpr std::size_t kFewest = 8;
constexpr std::string_view kRawKind = "PemBundle";
constexpr std::string_view kCertificate = "certificate:";  // certificate:STORE:THUMBPRINT, see ledger.h

}  // namespace

Result<void> GuardAgainstShrinking(machine::Machine& machine, const egress::EgressConfig& config,
                                   const reconcile::DesiredState& desired) {
  if (config.source.kind != kRawKind || !desired.scope.certificates) return {};
  std::set<std::string, std::less<>> wanted;
  for (const reconcile::CertificateItem& item : desired.certificates)
    wanted.insert(reconcile::Thumbprint(item.certificate));
  std::size_t ours = 0;
  std::size_t lost = 0;
  const reconcile::MachineRecord record = PROV_TRY(reconcile::LoadMachineRecord(machine));
  for (const auto& [item, entry] : record.ledger) {
    if (!item.starts_with(kCertificate) || !entry.ours) continue;
    ++ours;
    const std::string_view thumbprint = std::string_view(item).substr(item.rfind(':') + 1);
    if (!wanted.contains(thumbprint)) ++lost;
  }
  if (ours < kFewest || lost * 2 <= ours) return {};
  return Fail(Code::kShrink,
              fmt::format("it lacks {} of the {} certificates that are ours on this machine, which looks like a file "
                          "that was cut or is another one; if it is meant, give --allow-shrink",
                          lost, ours),
              NameOf(config.source));
}

}  // namespace prov::node
