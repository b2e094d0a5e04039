// The kind of certificates. A certificate that was in a store before us is not ours and stays, whoever put it there.
#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"
#include "provisioner/machine/certificate_blob.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/kind.h"
#include "provisioner/reconcile/planner.h"
#include "provisioner/reconcile/script_writer.h"

namespace prov::reconcile {
namespace {

using pki::Store;

std::string ShowCertificate(const pki::Certificate& certificate) {
  return fmt::format("{}, until {}", certificate.subject, certificate.not_after);
}

// nullopt: it is not the key of a certificate in this store.
std::optional<std::string_view> ThumbprintIn(std::string_view item, Store store) {
  const std::string prefix = CertificateItemName(store, "");
  if (!item.starts_with(prefix)) return std::nullopt;
  const std::string_view sha1 = item.substr(prefix.size());
  return sha1.size() == 40 && FromHex(sha1) ? std::optional(sha1) : std::nullopt;
}

ValueParts PartsOfCertificate(const pki::Certificate& certificate) {
  return {{"subject", Secret(certificate.subject)}, {"notAfter", Secret(certificate.not_after)}};
}

Change DescribeCertificate(Action action, Store store, const pki::Certificate& certificate, std::string reason = {}) {
  const std::string text = ShowCertificate(certificate);
  const ValueParts parts = PartsOfCertificate(certificate);
  const bool before = action == Action::kNone || action == Action::kDelete || action == Action::kYield;
  const bool after = action != Action::kDelete && action != Action::kYield;
  return {ItemKind::kCertificate,
          action,
          fmt::format("{} {}", NameOf(store), Thumbprint(certificate)),
          before ? text : "",
          after ? text : "",
          std::move(reason),
          {},
          before ? parts : ValueParts(),
          after ? parts : ValueParts()};
}

void Report(Planner& planner, Action action, Store store, const pki::Certificate& certificate, std::string reason) {
  planner.Report(CertificateItemName(store, Thumbprint(certificate)),
                 DescribeCertificate(action, store, certificate, std::move(reason)));
}

// What the machine's own store has under the thumbprint of a certificate that it does not hold.
Result<std::optional<images::RegValue>> DamagedEntry(Planner& planner, const CertificateItem& wanted) {
  const std::string key = machine::CertificateKeyPath(wanted.store, wanted.certificate.der);
  auto value = PROV_TRY(planner.machine().registry.Read(key, machine::kCertificateBlob));
  if (value) {
    planner.Note({Severity::kWarning, "cert-damaged",
                  "is not the certificate that its key names, so Windows does not use it; it is replaced, and kept for "
                  "a removal",
                  fmt::format("{}\\{}", key, machine::kCertificateBlob)});
  }
  return value;
}

Result<void> PlanWanted(Planner& planner, const CertificateItem& wanted) {
  machine::CertificateStore& stores = planner.machine().certificates;
  const pki::Certificate& certificate = wanted.certificate;
  const std::string item = CertificateItemName(wanted.store, Thumbprint(certificate));
  if (PROV_TRY(stores.IsDisallowed(certificate.der))) {
    planner.Note(
        {Severity::kWarning, "disallowed",
         "is in the machine's Disallowed store, so nothing that it signed is trusted; take it out there or at the "
         "source",
         fmt::format("{} {}", Thumbprint(certificate), certificate.subject)});
  }
  const LedgerEntry* const entry = planner.Find(item);
  const bool ours = entry != nullptr;
  if (PROV_TRY(stores.Contains(wanted.store, certificate.der))) {
    Report(planner, Action::kNone, wanted.store, certificate, ours ? "" : "was there before us");
    return {};
  }
  const auto before = ours ? entry->before : PROV_TRY(DamagedEntry(planner, wanted));
  planner.Add(CertificateWrite{wanted.store, certificate.der, true, item, before});
  planner.Own(item, {before, images::RegValue{Thumbprint(certificate), images::RegType::kBinary, certificate.der}, {}});
  Report(planner, Action::kCreate, wanted.store, certificate, ours ? "was removed since we added it" : "");
  return {};
}

Result<void> PlanUnwanted(Planner& planner, const std::string& item, const LedgerEntry& entry) {
  planner.Disown(item);
  if (!entry.ours) return {};
  const Store store = StoreOfItem(item);
  pki::Certificate certificate;
  if (auto parsed = pki::ParseCertificate(entry.ours->data, item)) {
    certificate = *std::move(parsed);
  } else {
    certificate.sha1 = AsciiLower(entry.ours->name);
  }
  if (!PROV_TRY(planner.machine().certificates.Contains(store, entry.ours->data))) {
    Report(planner, Action::kYield, store, certificate, "is gone already");
    return {};
  }
  planner.AddUndo(CertificateWrite{store, entry.ours->data, false, item, entry.before});
  Report(planner, Action::kDelete, store, certificate, "no longer wanted");
  return {};
}

class Certificate final : public Kind {
 public:
  bool IsInScope(const Scope& scope) const override { return scope.certificates; }
  bool Owns(std::string_view item) const override { return item.starts_with(kCertificateItem); }

  Result<void> Plan(Planner& planner) const override {
    std::set<std::string, std::less<>> wanted;
    for (const CertificateItem& item : planner.desired().certificates) {
      wanted.insert(CertificateItemName(item.store, Thumbprint(item.certificate)));
      PROV_TRY(PlanWanted(planner, item));
    }
    if (planner.desired().only_adds_certificates) return {};
    for (const auto& [item, entry] : planner.ledger()) {
      if (Owns(item) && !wanted.contains(item)) PROV_TRY(PlanUnwanted(planner, item, entry));
    }
    for (const std::string& item : planner.options().found) {
      if (!Owns(item) || planner.Find(item) != nullptr) continue;
      const Store store = StoreOfItem(item);
      const auto thumbprint = ThumbprintIn(item, store);
      if (!thumbprint || !PROV_TRY(planner.machine().certificates.Find(store, *thumbprint))) continue;
      planner.Report(item, {ItemKind::kCertificate,
                            Action::kNone,
                            fmt::format("{} {}", NameOf(store), AsciiUpper(*thumbprint)),
                            {},
                            {},
                            std::string(kStays)});
    }
    return {};
  }

  Result<std::optional<Drift>> FindDrift(machine::Machine& machine, std::string_view item,
                                         const LedgerEntry& entry) const override {
    if (PROV_TRY(machine.certificates.Contains(StoreOfItem(item), entry.ours->data))) return std::nullopt;
    Drift out{ItemKind::kCertificate, fmt::format("{} {}", NameOf(StoreOfItem(item)), entry.ours->name), true};
    if (const auto certificate = pki::ParseCertificate(entry.ours->data, item)) {
      out.before = ShowCertificate(*certificate);
      out.was = PartsOfCertificate(*certificate);
    }
    return out;
  }

  Change ChangeOf(std::string_view item, const Operation& operation) const override {
    const auto& write = std::get<CertificateWrite>(operation);
    const Action action = ActionOf(!write.add, write.add);
    if (const auto certificate = pki::ParseCertificate(write.der, item))
      return DescribeCertificate(action, write.store, *certificate);
    return {ItemKind::kCertificate,
            action,
            fmt::format("{} {}", NameOf(write.store), machine::CertificateKeyName(write.der)),
            {},
            {},
            {}};
  }

  void Bake(const DesiredState& desired, bool /*closed*/, images::RegKey& machine) const override {
    for (const Store store : {Store::kRoot, Store::kCa}) {
      images::RegKey* key = nullptr;
      for (const CertificateItem& item : desired.certificates) {
        if (item.store != store) continue;
        if (key == nullptr) key = &images::KeyAt(machine, R"(SOFTWARE\)" + machine::CertificateStoreKey(store));
        images::RegKey& subkey = key->subkeys.emplace_back();
        subkey.name = Thumbprint(item.certificate);
        subkey.values.push_back({std::string(machine::kCertificateBlob), images::RegType::kBinary,
                                 machine::EncodeCertificateBlob(item.certificate.der)});
      }
    }
  }

  void WriteForScript(const DesiredState& desired, ScriptWriter& out) const override {
    for (const CertificateItem& item : desired.certificates) {
      out.Begin(CertificateItemName(item.store, item.certificate.sha1))
          .Member("value", EncodeBase64(item.certificate.der))
          .EndObject();
    }
  }

  std::optional<ScriptPlace> PlaceInScript(std::string_view item) const override {
    for (const Store store : {Store::kRoot, Store::kCa}) {
      if (const auto sha1 = ThumbprintIn(item, store)) return ScriptPlace{CertificateItemName(store, *sha1), {}, {}};
    }
    return std::nullopt;
  }
};

}  // namespace

const Kind& CertificateKind() {
  static const Certificate kind;
  return kind;
}

}  // namespace prov::reconcile
