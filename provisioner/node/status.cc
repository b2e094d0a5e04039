#include "provisioner/node/status.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/node/first_boot.h"
#include "provisioner/node/image_install.h"
#include "provisioner/node/image_record.h"
#include "provisioner/node/present_settings.h"
#include "provisioner/node/records.h"
#include "provisioner/node/scrub.h"
#include "provisioner/pki/certificate.h"
#include "provisioner/reconcile/environment.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/service_name.h"

namespace prov::node {
namespace {

Result<std::vector<RunningService>> ReadRunningServices(OpenNode& node, const reconcile::StatusReport& engine) {
  std::vector<RunningService> out;
  for (const auto& [item, entry] : engine.ledger) {
    if (!item.starts_with(reconcile::kServiceItem) || reconcile::ServiceOf(item) != item) continue;
    const std::string name = PROV_TRY(reconcile::SpellingOfService(
        node.machine.registry, std::string_view(item).substr(reconcile::kServiceItem.size())));
    if (auto service = PROV_TRY(ReadRunningService(node, engine, name))) out.push_back(*std::move(service));
  }
  return out;
}

Result<std::optional<BootService>> ReadBootService(OpenNode& node, std::vector<LostFile>& lost) {
  if (PROV_TRY(node.machine.system.BootId()).empty()) return std::nullopt;
  BootService out;
  const auto state = PROV_TRY(node.host.services().Query(kServiceName));
  out.installed = state.has_value();
  out.running = state && state->running;
  out.expected = (out.installed || PROV_TRY(LoadService(node.machine.state)).has_value()) &&
                 !PROV_TRY(SetupIsRunning(node.machine.registry));
  // A file that others could change has no trusted version; installing again refuses it or replaces it.
  const auto program = node.host.installation().ReadProgramStatus();
  if (program && program->installed) out.version = program->installed->Text();
  if (program && out.installed && !program->is_installed)
    lost.push_back({PROV_TRY(node.host.installation().ProgramPath()), "is missing, or others may change it"});
  if (!out.running) return out;
  out.process_id = state->process_id;
  out.outdated = !node.host.installation().RunsProgram(out.process_id).value_or(true);
  return out;
}

// The certificates in the ledger are only ours: those from before us are never in it.
std::optional<Expiry> FirstExpiry(const reconcile::Ledger& ledger, std::int64_t now) {
  std::optional<Expiry> out;
  for (const auto& [item, entry] : ledger) {
    if (!item.starts_with(reconcile::kCertificateItem) || !entry.ours) continue;
    const auto certificate = pki::ParseCertificate(entry.ours->data, item);
    if (!certificate) continue;
    const std::int64_t seconds = certificate->not_after_unix - now;
    if (out && out->seconds <= seconds) continue;
    std::string name = fmt::format("{} {}", pki::NameOf(reconcile::StoreOfItem(item)), entry.ours->name);
    out = Expiry{item, std::move(name), certificate->subject, certificate->not_after, seconds};
  }
  return out;
}

}  // namespace

std::int64_t Expiry::Days() const {
  constexpr std::int64_t kDay = 86400;
  return seconds >= 0 ? seconds / kDay : -((-seconds + kDay - 1) / kDay);
}

Result<std::optional<RunningService>> ReadRunningService(OpenNode& node, const reconcile::StatusReport& engine,
                                                         std::string_view name) {
  const auto state = PROV_TRY(node.host.services().Query(name));
  if (!state || !state->running) return std::nullopt;
  RunningService out;
  out.name = name;
  out.process_id = state->process_id;
  const auto block = node.host.services().EnvironmentOf(out.process_id);
  if (!block) {
    out.unreadable = block.error().message;
    return out;
  }
  const auto stored =
      PROV_TRY(node.machine.registry.Read(reconcile::ServiceKeyPath(name), reconcile::kServiceEnvironmentValue));
  const auto own = reconcile::EntriesIn(stored);
  const auto of_machine = PROV_TRY(ReadMachineEntries(node.machine.registry));
  const auto wanted = StartEntries(of_machine, own);
  for (const std::string_view variable : egress::kProxyVariables) {
    const std::string has = ValueIn(*block, variable);
    if (!has.empty()) out.variables.emplace_back(variable, reconcile::ShowVariable(variable, has));
    if (has == ValueIn(wanted, variable)) continue;
    out.stale.emplace_back(variable);
    const bool is_own = std::ranges::any_of(own, [&](const auto& one) { return reconcile::IsEntryOf(one, variable); });
    const bool was_of_machine = engine.reboot_required || !ValueIn(of_machine, variable).empty() ||
                                engine.ledger.contains(fmt::format("{}{}", reconcile::kEnvironmentItem, variable));
    out.needs_boot = out.needs_boot || (!is_own && was_of_machine);
  }
  return out;
}

std::string RestartCommand(std::string_view service) {
  return "Restart-Service -Force " + QuotedForPowerShell(service);
}

std::string RunningService::Command() const { return needs_boot ? "Restart-Computer" : RestartCommand(name); }

std::vector<std::string> NodeStatus::StaleServices() const {
  std::vector<std::string> out;
  for (const RunningService& service : services) {
    if (!service.stale.empty()) out.push_back(service.name);
  }
  return out;
}

std::vector<std::string_view> NodeStatus::Reasons() const {
  std::vector<std::string_view> out;
  if (!engine.drift.empty()) out.emplace_back("drift");
  if (!StaleServices().empty()) out.emplace_back("stale");
  if (failure || RoundsFail()) out.emplace_back("failure");
  if (held) out.emplace_back("hold");
  if (engine.trial) out.emplace_back("trial");
  if ((engine.open_transaction && !engine.trial) || image_incomplete) out.emplace_back("open");
  if (engine.damage || !damage.empty() || record_lost) out.emplace_back("damage");
  if (boot_service && boot_service->Fails()) out.emplace_back("service");
  if (!lost_files.empty()) out.emplace_back("files");
  if (first_expiry && first_expiry->seconds <= kExpirySeconds) out.emplace_back("expiry");
  return out;
}

Result<NodeStatus> StatusOf(OpenNode& given, images::ImageTree* image) {
  RepairedView view(given);
  OpenNode node = PROV_TRY(view.Open());
  machine::StateRecord& state = node.machine.state;
  NodeStatus out;
  out.damage = view.damage();
  out.record_lost = PROV_TRY(RecordIsLost(node));
  if (out.damage.empty()) out.repairs = PROV_TRY(LoadRepairs(state));
  out.engine = PROV_TRY(reconcile::StatusOf(node.machine));
  out.services = PROV_TRY(ReadRunningServices(node, out.engine));
  out.variables = PROV_TRY(reconcile::ReadMachineVariables(node.machine, out.engine.ledger));
  out.source = PROV_TRY(LoadSource(state));
  out.applied = PROV_TRY(LoadApplied(state));
  const std::int64_t now = node.host.clock().NowUnix();
  if (out.applied) out.age_seconds = now - out.applied->since;
  Activity activity = LoadActivity(state.folder(), out.source.value_or(StoredSource()));
  out.boot_service = PROV_TRY(ReadBootService(node, out.lost_files));
  if (image != nullptr) out.lost_files = PROV_TRY(FindLostFiles(*image, state));
  out.read_at = activity.read_at;
  if (out.read_at) out.read_age_seconds = now - *out.read_at;
  out.round_interval = PROV_TRY(LoadService(state)).value_or(ServiceRecord()).interval_seconds;
  out.round_failure = std::move(activity.failure);
  out.first_expiry = FirstExpiry(out.engine.ledger, now);
  const auto hold = PROV_TRY(LoadHold(state));
  out.held = hold.has_value();
  out.approval = PROV_TRY(LoadApproval(state));
  if (out.engine.trial) out.trial = PROV_TRY(LoadTrial(state));
  const auto installation = PROV_TRY(LoadImageRecord(state));
  out.image_incomplete = installation && !installation->complete;
  out.removed_at = PROV_TRY(LoadRemoved(state));
  out.failure = PROV_TRY(LoadFailure(state));
  return out;
}

const std::vector<NotVisible>& NotVisibleInImage() {
  static const std::vector<NotVisible> all = {
      {"users", "the users' own settings (variables, WinINET proxy, certificates): their hives are not read"},
      {"processes", "the environment of running services: nothing runs in an image"},
      {"reboot", "whether a reboot is needed: this is known for a running node only"}};
  return all;
}

}  // namespace prov::node
