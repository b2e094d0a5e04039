// Certificates: what is in a store already, whoever put it there, is not ours and stays.
#include <fmt/format.h>

#include <set>

#include "provisioner/base/text.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/planner.h"

namespace prov::reconcile {
namespace {

using egress::Store;

void Report(Planner& planner, Action action, Store store, const egress::Certificate& certificate, std::string reason) {
  const std::string text = fmt::format("{}, until {}", certificate.subject, certificate.not_after);
  const bool before = action == Action::kNone || action == Action::kDelete || action == Action::kYield;
  const bool after = action != Action::kDelete && action != Action::kYield;
  planner.Report({ItemKind::kCertificate, action, fmt::format("{} {}", NameOf(store), Thumbprint(certificate)),
                  before ? text : "", after ? text : "", std::move(reason)});
}

Result<void> PlanWanted(Planner& planner, const CertificateItem& wanted) {
  machine::CertificateStore& stores = planner.machine().certificates;
  const egress::Certificate& certificate = wanted.certificate;
  const std::string item = CertificateItemName(wanted.store, Thumbprint(certificate));
  if (PROV_TRY(stores.IsDisallowed(certificate.der))) {
    planner.Note(
        Severity::kWarning, "disallowed",
        "is in the machine's Disallowed store, so nothing that it signed is trusted; take it out there or at the "
        "source",
        fmt::format("{} {}", Thumbprint(certificate), certificate.subject));
  }
  const bool ours = planner.Find(item) != nullptr;
  if (PROV_TRY(stores.Contains(wanted.store, certificate.der))) {
    Report(planner, Action::kNone, wanted.store, certificate, ours ? "" : "was there before us");
    return {};
  }
  planner.Give(CertificateWrite{wanted.store, certificate.der, true});
  planner.Own(item,
              {std::nullopt, images::RegValue{Thumbprint(certificate), images::RegType::kBinary, certificate.der}, {}});
  Report(planner, Action::kCreate, wanted.store, certificate, ours ? "was removed since we added it" : "");
  return {};
}

Result<void> PlanUnwanted(Planner& planner, const std::string& item, const LedgerEntry& entry) {
  planner.Disown(item);
  if (!entry.ours) return {};
  const Store store = StoreOfItem(item);
  egress::Certificate certificate;
  if (auto parsed = egress::ParseCertificate(entry.ours->data, item)) {
    certificate = *std::move(parsed);
  } else {
    certificate.sha1 = AsciiLower(entry.ours->name);
  }
  if (!PROV_TRY(planner.machine().certificates.Contains(store, entry.ours->data))) {
    Report(planner, Action::kYield, store, certificate, "is gone already");
    return {};
  }
  planner.TakeBack(CertificateWrite{store, entry.ours->data, false});
  Report(planner, Action::kDelete, store, certificate, "no longer wanted");
  return {};
}

}  // namespace

Result<void> PlanCertificates(Planner& planner) {
  std::set<std::string, std::less<>> wanted;
  for (const CertificateItem& item : planner.desired().certificates) {
    wanted.insert(CertificateItemName(item.store, Thumbprint(item.certificate)));
    PROV_TRY(PlanWanted(planner, item));
  }
  for (const auto& [item, entry] : planner.ledger()) {
    if (item.starts_with(kCertificateItem) && !wanted.contains(item)) PROV_TRY(PlanUnwanted(planner, item, entry));
  }
  return {};
}

}  // namespace prov::reconcile
