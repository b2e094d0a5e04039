#include "provisioner/node/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/node/events.h"
#include "provisioner/node/guards.h"
#include "provisioner/node/left_out.h"
#include "provisioner/node/pin.h"
#include "provisioner/node/present_settings.h"
#include "provisioner/node/service_restarts.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/nssm.h"
#include "provisioner/reconcile/observe.h"
#include "provisioner/reconcile/service_name.h"
#include "provisioner/reconcile/transaction.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::node {
namespace {

using reconcile::Action;
using reconcile::Change;
using reconcile::RunReport;
using reconcile::Sections;

Result<reconcile::PlanOptions> PlanOptionsOf(OpenNode& node, const ApplyOptions& options) {
  const bool yields = PROV_TRY(reconcile::YieldsEnvironment(node.machine, !options.unattended));
  reconcile::PlanOptions out{.adopt = options.adopt,
                             .yield_environment = yields,
                             .leaves_out_refused = options.unattended || options.leaves_out_refused};
  if (PROV_TRY(RecordIsLost(node))) {
    out.adopt = true;
    out.adopt_reason = "adopted, because the record was lost";
  }
  return out;
}

// Reports damage that a command that only reads leaves to the next one that writes.
Result<void> ReportDamage(OpenNode& node, const RepairedView& view, Findings& findings) {
  for (const DamagedFile& file : view.damage()) {
    AddWarning(findings, "state-damaged", Describe(file, Moment::kFound), file.file);
  }
  return WarnOfLoss(node, findings);
}

// Without a record, values that equal the wanted ones count as set by others. Say so, in case the record was deleted.
Result<void> ReportFound(OpenNode& node, const reconcile::Plan& plan, Findings& findings) {
  const auto found = std::ranges::count(plan.changes, Action::kNone, &Change::action);
  if (found == 0 || !plan.ledger_before.empty() || !PROV_TRY(HasNoRecord(node.machine.state.folder()))) return {};
  AddInfo(findings, "already-there",
          fmt::format("{} item{} already as wanted, and no record says that provisioner set {}: provisioner remove "
                      "leaves such items in place",
                      found, found == 1 ? " was" : "s were", found == 1 ? "it" : "them"),
          node.machine.state.folder().PathOf(machine::kStateFile));
  return {};
}

// Services that do not exist, and have a name near to one that nodes have.
Result<void> ReportMisspelled(OpenNode& node, const DerivedSettings& derived, Findings& findings) {
  for (const reconcile::ServiceEnvironment& wanted : derived.desired.services) {
    const std::string hint = reconcile::SuggestNodeService(wanted.service);
    if (hint.empty() || PROV_TRY(node.machine.registry.KeyExists(reconcile::ServiceKeyPath(wanted.service)))) continue;
    AddWarning(findings, "service-unknown",
               fmt::format("there is no service {}, so its environment will be set when there is one; {}",
                           wanted.service, hint),
               node.host.Name());
  }
  return {};
}

// Services that give containerd, which they start, another proxy.
Result<void> ReportOwnOfContainerd(OpenNode& node, const DerivedSettings& derived, Findings& findings) {
  for (const reconcile::ServiceEnvironment& wanted : derived.desired.services) {
    std::vector<std::string> start;
    start.reserve(wanted.variables.size());
    for (const reconcile::EnvironmentVariable& one : wanted.variables)
      start.push_back(fmt::format("{}={}", one.name, one.value.Reveal()));
    const auto for_containerd = PROV_TRY(ReadEntriesForContainerd(node.machine.registry, wanted.service));
    if (auto finding = ReviewEntriesForContainerd(wanted.service, start, for_containerd))
      findings.push_back(*std::move(finding));
  }
  return {};
}

// Services that are not there, and those that keep another proxy, whatever the machine's variables are. A round says
// nothing of them: it would do so each time.
Result<void> ReportServices(OpenNode& node, const DerivedSettings& derived, const ApplyOptions& options,
                            Findings& findings) {
  if (options.unattended || !derived.desired.scope.TakesProxy()) return {};
  PROV_TRY(ReportMisspelled(node, derived, findings));
  PROV_TRY(ReportOwnOfContainerd(node, derived, findings));
  for (const std::string& service : PROV_TRY(reconcile::ServicesWithNssmProxy(node.machine.registry))) {
    const bool is_named = std::ranges::any_of(
        derived.desired.services, [&](const auto& one) { return reconcile::IsSameService(one.service, service); });
    if (is_named) continue;
    AddInfo(findings, "service-own-proxy",
            "runs under nssm with a proxy of its own, which comes before the machine's variables: name it with "
            "--service if it should have this one",
            service);
  }
  return {};
}

// The items that are as wanted and not ours.
std::vector<std::string> FoundBy(const reconcile::Plan& plan) {
  std::vector<std::string> out;
  for (const Change& change : plan.changes) {
    const bool is_found = change.action == Action::kNone && !change.before.empty() &&
                          change.kind != reconcile::ItemKind::kService && !plan.ledger_after.contains(change.key);
    if (is_found) out.push_back(change.key);
  }
  return out;
}

void AddFindings(RunReport& report, const DerivedSettings& derived) {
  Findings all = derived.settings.findings;
  const Findings& source = derived.settings.config.findings;
  all.insert(all.end(), source.begin(), source.end());
  all.insert(all.end(), derived.desired.findings.begin(), derived.desired.findings.end());
  report.findings.insert(report.findings.begin(), all.begin(), all.end());
}

Result<void> CheckPlanned(OpenNode& node, const DerivedSettings& derived, const ApplyOptions& options) {
  PROV_TRY(GuardAgainstFormerSigner(node.machine.state, derived.settings));
  if (!options.allow_downgrade) PROV_TRY(GuardAgainstDowngrade(node.machine.state, derived.settings));
  if (options.refuse_empty) PROV_TRY(GuardAgainstEmpty(node.machine, derived));
  if (options.allow_shrink) return {};
  return GuardAgainstShrinking(node.machine, derived.settings.config, derived.desired);
}

}  // namespace

Result<void> CheckSettings(OpenNode& node, const DerivedSettings& derived, const ApplyOptions& options) {
  PROV_TRY(GuardAgainstUnreadTrust(node.machine, derived.settings));
  return CheckPlanned(node, derived, options);
}

Result<RunReport> PlanSettings(OpenNode& given, const DerivedSettings& derived, const ApplyOptions& options) {
  RepairedView view(given);
  OpenNode node = PROV_TRY(view.Open());
  PROV_TRY(CheckPlanned(node, derived, options));
  RunReport report = PROV_TRY(reconcile::PlanOn(node.machine, derived.desired, PROV_TRY(PlanOptionsOf(node, options))));
  PROV_TRY(ReportDamage(node, view, report.findings));
  ReportLeftOut(PROV_TRY(LoadApplied(node.machine.state)), derived.settings, options.names_pool, report.findings);
  PROV_TRY(ReportServices(node, derived, options, report.findings));
  AddFindings(report, derived);
  return report;
}

Result<reconcile::Plan> PlanRun(OpenNode& node, BegunRun& run, const DerivedSettings& derived,
                                const ApplyOptions& options) {
  PROV_TRY(CheckSettings(node, derived, options));
  PROV_TRY(WarnOfLoss(node, run.findings));
  // A round has its options from the record of its source.
  if (!options.unattended) {
    ReportLeftOut(PROV_TRY(LoadApplied(node.machine.state)), derived.settings, options.names_pool, run.findings);
  }
  const reconcile::PlanOptions plan_options =
      PROV_TRY(PlanOptionsOf(node, options));  // before PrepareToPlan writes a record
  PROV_TRY(PrepareToPlan(node, run));
  PROV_TRY(UpdateSigners(node, derived.settings, run.findings));
  const reconcile::Ledger ours = PROV_TRY(reconcile::LoadLedger(node.machine.state));
  return reconcile::MakePlan(node.machine, derived.desired, ours, plan_options);
}

Result<Applied> AppliedFrom(OpenNode& node, const DerivedSettings& derived, const reconcile::Plan& plan) {
  const Settings& settings = derived.settings;
  Applied out{derived.digest,   settings.generation, node.host.clock().NowUnix(), NameOf(settings.config.source),
              settings.payload, settings.signer,     settings.source_digest,      settings.given,
              FoundBy(plan)};
  if (!settings.cluster.empty()) out.source += fmt::format(", baked for the cluster {}", settings.cluster);
  const auto before = PROV_TRY(LoadApplied(node.machine.state));
  if (!out.given && before) out.given = before->given;
  if (!before || before->digest != out.digest) return out;
  out.since = before->since;
  if (out.payload.empty()) {  // kept settings: the payload is unchanged
    out.source = before->source;
    out.payload = before->payload;
    out.signer = before->signer;
  }
  if (out.source_digest.empty()) out.source_digest = before->source_digest;
  return out;
}

void AddApplied(const Applied& applied, Sections& sections) {
  RaiseMinimum(applied, sections);
  sections[std::string(kAppliedSection)] = AppliedJson(applied);
  sections[std::string(kHoldSection)] = std::nullopt;
  sections[std::string(kLostSection)] = std::nullopt;
  sections[std::string(kRemovedSection)] = std::nullopt;
}

Result<void> EndRun(OpenNode& node, BegunRun run, const DerivedSettings& derived, const ApplyOptions& options,
                    RunReport& report) {
  AddBeginning(std::move(run), report);
  PROV_TRY(RestartOrReportServices(node, options.restart_services, report));
  PROV_TRY(ReportServices(node, derived, options, report.findings));
  AddFindings(report, derived);
  return {};
}

Result<RunReport> ApplySettings(OpenNode& node, BegunRun run, const DerivedSettings& derived,
                                const ApplyOptions& options, Sections more) {
  reconcile::Plan plan = PROV_TRY(PlanRun(node, run, derived, options));
  PROV_TRY(ReportFound(node, plan, run.findings));
  if (options.unattended) {
    PROV_TRY(GuardAgainstRebootLoop(node.machine, plan));
  } else {
    more[std::string(kBootsSection)] = std::nullopt;
  }
  PROV_TRY(reconcile::RememberWmco(node.machine, !options.unattended, node.host.clock().NowUnix()));
  AddApplied(PROV_TRY(AppliedFrom(node, derived, plan)), more);
  if (options.restart_services) PROV_TRY(PlanRestarts(node, plan, more));
  RunReport report = PROV_TRY(reconcile::CarryOut(node.machine, std::move(plan), more));
  PROV_TRY(UpdateSigners(node, derived.settings, run.findings));  // after the record: that the new one was applied
  PROV_TRY(EndRun(node, std::move(run), derived, options, report));
  return report;
}

Result<void> WarnOfStoredSource(OpenNode& node, const DerivedSettings& derived, Findings& findings) {
  const auto kept = PROV_TRY(node.machine.state.Read(kSettingsSection));
  if (!kept || kept->Json() == derived.json) return {};
  AddWarning(findings, "stored-source",
             "reconcile has another source stored on this machine and will apply that again; provisioner service "
             "install --source replaces it",
             std::string(machine::kStateFile));
  return {};
}

Result<RunReport> ApplyToMachine(OpenNode& node, const DerivedSettings& derived, const ApplyOptions& options) {
  RunReport report = PROV_TRY(ApplySettings(node, PROV_TRY(BeginRun(node)), derived, options));
  PROV_TRY(WarnOfStoredSource(node, derived, report.findings));
  LogRun(node.host, report);
  return report;
}

}  // namespace prov::node
