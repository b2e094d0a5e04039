#include "provisioner/node/guards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/payload.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/machine_record.h"

namespace prov::node {
namespace {

constexpr std::size_t kMostBoots = 3;
constexpr std::size_t kFewestCertificates = 8;
constexpr std::string_view kRawKind = "PemBundle";

bool Contains(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

// Compares the settings with a payload that was applied here before.
Result<void> Compare(const Settings& settings, std::int64_t generation, const std::string& payload) {
  const std::string where = NameOf(settings.config.source);
  const std::int64_t offered = *settings.generation;
  if (offered < generation) {
    return Fail(Code::kDowngrade,
                fmt::format("the payload has generation {}, and {} was applied here already: bake it with a higher "
                            "--generation, or give --allow-downgrade",
                            offered, generation),
                where);
  }
  // Kept settings do not record which payload they came from.
  const bool other =
      offered == generation && !settings.payload.empty() && !payload.empty() && settings.payload != payload;
  if (!other || (settings.signer.empty() && offered <= payload::kDefaultGeneration)) return {};
  return Fail(Code::kDowngrade,
              fmt::format("another payload of generation {} was applied here already, and it is not known which of the "
                          "two is newer: bake it with a higher --generation, or give --allow-downgrade",
                          offered),
              where);
}

// A digest of the changes, independent of the values before them. Excludes pods: their endpoints differ after each
// boot, and they need no reboot.
std::string PlanDigest(const reconcile::Plan& plan) {
  std::string text;
  for (const reconcile::Change& change : plan.changes) {
    if (change.kind == reconcile::ItemKind::kHns) continue;
    if (change.action == reconcile::Action::kNone || change.action == reconcile::Action::kYield) continue;
    text += fmt::format("{}\n{}\n{}\n", reconcile::NameOf(change.kind), change.name, change.after);
  }
  return ToHex(Sha256(text));
}

std::string_view WhyEmpty(const egress::EgressConfig& config) {
  const auto holds = [](const std::optional<Secret>& url) { return url && !url->Reveal().empty(); };
  const bool lists = config.no_proxy && !config.no_proxy->empty();
  if (config.not_read.proxy && !egress::StatesProxy(config) && config.certificates.empty())
    return "its proxy is in a part that is not read, such as ALL_PROXY; nodes get HTTP_PROXY and HTTPS_PROXY";
  if (holds(config.http_proxy) || holds(config.https_proxy) || lists || !config.certificates.empty())
    return "the options (--scope, --service, --credentials, --subtract) leave out all of its settings, or its "
           "certificates are weak";
  return config.proxy_file.present || config.trust_file.present
             ? "it says that there is neither a proxy nor an additional certificate"
             : "it makes no statement about a proxy or certificates";
}

}  // namespace

Result<void> GuardAgainstEmpty(const egress::EgressConfig& config, const reconcile::DesiredState& desired) {
  if (!desired.SetsNothing()) return {};
  return Fail(
      Code::kEmpty,
      fmt::format(
          "the source would set nothing: {}; check that it is the right one, or give --allow-empty if this is intended",
          WhyEmpty(config)),
      NameOf(config.source));
}

Result<void> GuardAgainstEmpty(machine::Machine& machine, const DerivedSettings& derived) {
  if (derived.settings.generation || !derived.desired.SetsNothing()) return {};
  const auto applied = PROV_TRY(LoadApplied(machine.state));
  if (applied && applied->digest == derived.digest) return {};
  const reconcile::MachineRecord record = PROV_TRY(reconcile::LoadMachineRecord(machine));
  return record.ledger.empty() ? GuardAgainstEmpty(derived.settings.config, derived.desired) : Result<void>();
}

Result<void> GuardAgainstUnreadTrust(const egress::EgressConfig& config) {
  const std::string& place = config.not_read.trust_place;
  if (place.empty()) return {};
  return Fail(Code::kRemoteSource,
              "the certificates are at this URL, which only the script of the user data fetches; give the SOURCE that "
              "it was baked from",
              place);
}

Result<void> GuardAgainstUnreadTrust(machine::Machine& machine, const Settings& settings) {
  if (!settings.options.scope.certificates || settings.config.not_read.trust_place.empty()) return {};
  for (const auto& [item, entry] : PROV_TRY(reconcile::LoadMachineRecord(machine)).ledger)
    if (item.starts_with(reconcile::kCertificateItem) && entry.ours) return {};
  return GuardAgainstUnreadTrust(settings.config);
}

Result<void> GuardAgainstDowngrade(machine::StateRecord& state, const Settings& settings) {
  if (!settings.generation) return {};
  const auto applied = PROV_TRY(LoadApplied(state));
  if (applied && applied->generation) PROV_TRY(Compare(settings, *applied->generation, applied->payload));
  if (settings.signer.empty()) return {};
  const auto minimum = PROV_TRY(LoadMinimum(state));
  const bool ours = minimum && (minimum->signer == settings.signer || Contains(settings.signers, minimum->signer));
  return ours ? Compare(settings, minimum->generation, minimum->payload) : Result<void>();
}

Result<void> GuardAgainstFormerSigner(machine::StateRecord& state, const Settings& settings) {
  if (settings.signer.empty()) return {};
  const auto minimum = PROV_TRY(LoadMinimum(state));
  if (!minimum) return {};
  const auto& all = settings.signers;
  const auto last = std::ranges::find(all, minimum->signer);
  if (last == all.end() || std::ranges::find(all, settings.signer) >= last) return {};
  return Fail(Code::kSignature,
              fmt::format("a payload by the signer with the SHA-256 {}, which followed this one's, was applied here "
                          "already: bake with the key of that signer",
                          minimum->signer),
              NameOf(settings.config.source));
}

void RaiseMinimum(const Applied& applied, reconcile::Sections& sections) {
  if (applied.signer.empty() || !applied.generation) return;
  sections[std::string(kFloorSection)] = MinimumJson({applied.signer, *applied.generation, applied.payload});
}

Result<void> GuardAgainstShrinking(machine::Machine& machine, const egress::EgressConfig& config,
                                   const reconcile::DesiredState& desired) {
  if (config.source.kind != kRawKind || !desired.scope.certificates) return {};
  std::set<std::string, std::less<>> wanted;
  for (const reconcile::CertificateItem& item : desired.certificates) wanted.insert(item.certificate.sha1);
  std::size_t ours = 0;
  std::size_t lost = 0;
  const reconcile::MachineRecord record = PROV_TRY(reconcile::LoadMachineRecord(machine));
  for (const auto& [item, entry] : record.ledger) {
    if (!item.starts_with(reconcile::kCertificateItem) || !entry.ours) continue;
    ++ours;
    const std::string_view thumbprint = std::string_view(item).substr(item.rfind(':') + 1);
    if (!wanted.contains(thumbprint)) ++lost;
  }
  if (ours < kFewestCertificates || lost * 2 <= ours) return {};
  return Fail(Code::kShrink,
              fmt::format("the source lacks {} of the {} certificates that are ours on this machine, so it may be "
                          "truncated or the wrong file; if this is intended, give --allow-shrink",
                          lost, ours),
              NameOf(config.source));
}

Result<void> GuardAgainstRebootLoop(machine::Machine& machine, const reconcile::Plan& plan) {
  const std::string boot = PROV_TRY(machine.system.BootId());
  std::optional<Boots> known = PROV_TRY(LoadBoots(machine.state));
  const bool counted = known && std::ranges::find(known->ids, boot) != known->ids.end();
  if (plan.operations.empty() || !plan.reboot) {
    // a boot without such a change ends the loop
    return known && !counted ? Forget(machine.state, kBootsSection) : Result<void>();
  }
  const std::string change = PlanDigest(plan);
  if (!known || known->change != change) return SaveBoots(machine.state, {change, {boot}});
  if (counted) return {};
  if (known->ids.size() >= kMostBoots) {
    return Fail(Code::kRebootLoop,
                fmt::format("the same change was needed after each of the last {} boots, so something on this machine "
                            "undoes it (a group policy, another agent, a frozen disk); nothing is written until the "
                            "source changes or apply is called",
                            kMostBoots));
  }
  known->ids.push_back(boot);
  return SaveBoots(machine.state, *known);
}

}  // namespace prov::node
