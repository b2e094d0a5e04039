#include "provisioner/node/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/node/events.h"
#include "provisioner/node/probe.h"
#include "provisioner/node/rollback.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/reconcile/transaction.h"

namespace prov::node {
namespace {

using reconcile::RunReport;

constexpr std::int64_t kTakeBackWait = 60;  // seconds: a round of the boot service may be under way
constexpr std::int64_t kAdjusted = 30;      // seconds by which a clock may be set back while a trial waits

std::string TrialJson(const Trial& trial) {
  JsonWriter json;
  json.BeginObject().Member("until", trial.until).Member("boot", trial.boot);
  json.Member("seconds", trial.seconds);
  if (trial.is_approved) json.Member("approved", true);
  json.Key("applied").Json(AppliedJson(trial.applied));
  return json.EndObject().Text();
}

// `open`: the transaction of a trial.
Result<Trial> ReadTrial(const reconcile::Transaction& open) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(*open.trial, machine::kJournalFile));
  return Trial{PROV_TRY(root.Get("until", &JsonNode::Integer)), PROV_TRY(root.Get("boot", &JsonNode::Text)),
               PROV_TRY(root.Get("applied", ReadApplied)),
               PROV_TRY(root.Find("seconds", &JsonNode::Integer)).value_or(0),
               PROV_TRY(root.Find("approved", &JsonNode::Bool)).value_or(false)};
}

enum class TrialState { kWaiting, kConfirmed, kTakenBack };

Result<TrialState> ReadTrialState(machine::Host& host, const Applied& tried) {
  const auto open = PROV_TRY(host.Open(machine::Access::kRead));
  OpenNode given{host, open->Ports()};
  RepairedView view(given);  // counts a `confirm` that was interrupted
  OpenNode node = PROV_TRY(view.Open());
  const auto journal = PROV_TRY(reconcile::LoadJournal(node.machine.state));
  if (journal && journal->trial) return TrialState::kWaiting;
  const auto applied = PROV_TRY(LoadApplied(node.machine.state));
  return applied && applied->digest == tried.digest ? TrialState::kConfirmed : TrialState::kTakenBack;
}

struct OpenedTrial {
  RunReport run;
  std::optional<Trial> trial;  // read now: `confirm` may end the trial while the probes run
};

Result<OpenedTrial> BeginTrial(machine::Host& host, const DerivedSettings& derived, const ApplyOptions& options,
                               const TrialOptions& trial) {
  const auto open = PROV_TRY(trial.open(0));
  OpenNode node{host, open->Ports()};
  RunReport report = PROV_TRY(TrySettings(node, PROV_TRY(BeginRun(node)), derived, options, trial.seconds));
  return OpenedTrial{std::move(report), PROV_TRY(LoadTrial(node.machine.state))};
}

// Does nothing if another run has ended the trial, and perhaps begun one of its own.
Result<void> EndOwnTrial(machine::Host& host, const TrialOptions& trial, const Trial& own) {
  const auto open = PROV_TRY(trial.open(kTakeBackWait));
  OpenNode node{host, open->Ports()};
  BegunRun run = PROV_TRY(BeginRun(node));
  return run.trial && PROV_TRY(ReadTrial(*run.trial)) == own ? EndTrial(node, run) : Result<void>();
}

// The probes end with the trial, at `end` (Unix time).
Result<void> ProbeUntil(std::int64_t end, machine::Host& host, const Settings& settings,
                        const std::vector<std::string>& urls, Findings& findings) {
  ProbeOptions options;
  options.trusted = settings.options.trusted;
  options.total_seconds = std::clamp<std::int64_t>(end - host.clock().NowUnix(), 1, options.total_seconds);
  return ProbeAll(host, settings.config, urls, options, findings);
}

Result<bool> WaitForConfirmation(machine::Host& host, const Trial& open, const TrialOptions& trial,
                                 Findings& findings) {
  AddInfo(findings, "trial",
          fmt::format(
              "applied on trial for {} s ({} s left); run provisioner confirm within that time to make it permanent",
              trial.seconds, std::max<std::int64_t>(0, open.until - host.clock().NowUnix())));
  if (trial.on_wait) trial.on_wait(findings);
  return AwaitConfirmation(host, open);
}

}  // namespace

bool Trial::IsOver(std::int64_t now) const {
  return now >= until || (seconds > 0 && until - now > seconds + kAdjusted);
}

Result<std::optional<Trial>> LoadTrial(machine::StateRecord& state) {
  const auto open = PROV_TRY(reconcile::LoadJournal(state));
  if (!open || !open->trial) return std::nullopt;
  return PROV_TRY(ReadTrial(*open));
}

Result<TrialReport> RunTrial(machine::Host& host, const DerivedSettings& derived, const ApplyOptions& options,
                             const TrialOptions& trial) {
  PROV_TRY(CheckProbeUrls(trial.probes));
  auto [report, open] = PROV_TRY(BeginTrial(host, derived, options, trial));
  const std::int64_t end = open ? open->until : host.clock().NowUnix() + trial.seconds;
  const Result<void> probed = ProbeUntil(end, host, derived.settings, trial.probes, report.findings);
  if (!open) {  // nothing differs: there is nothing to take back
    PROV_TRY(probed);
    return TrialReport{std::move(report), true};
  }
  Result<bool> confirmed = false;
  if (probed) confirmed = WaitForConfirmation(host, *open, trial, report.findings);
  report.trial = false;
  if (confirmed && *confirmed) return TrialReport{std::move(report), true};
  // Not left to a round of the service, which may come late or not at all.
  PROV_TRY(EndOwnTrial(host, trial, *open));
  PROV_TRY(probed);
  PROV_TRY(confirmed);
  AddWarning(report.findings, "trial-expired",
             "the trial was not confirmed in time, so everything was rolled back; run apply again, then provisioner "
             "confirm");
  report.writes = 0;
  report.reboot_required = false;
  return TrialReport{std::move(report), false};
}

// Without GuardAgainstRebootLoop and RememberWmco, which ApplySettings has for a round: a trial that is taken back is
// nothing that something else undid, and must not count for the loop. If something undoes what was confirmed, the round
// of the next boot is the first that counts.
Result<RunReport> TrySettings(OpenNode& node, BegunRun run, const DerivedSettings& derived, const ApplyOptions& options,
                              std::int64_t seconds, bool is_approved) {
  reconcile::Plan plan = PROV_TRY(PlanRun(node, run, derived, options));
  const Trial trial{node.host.clock().NowUnix() + seconds, PROV_TRY(node.machine.system.BootId()),
                    PROV_TRY(AppliedFrom(node, derived, plan)), seconds, is_approved};
  RunReport report = PROV_TRY(reconcile::CarryOut(node.machine, std::move(plan), {}, TrialJson(trial)));
  PROV_TRY(EndRun(node, std::move(run), derived, options, report));
  LogRun(node.host, report);
  return report;
}

Result<bool> AwaitConfirmation(machine::Host& host, const Trial& trial) {
  while (true) {
    const TrialState state = PROV_TRY(ReadTrialState(host, trial.applied));
    if (state != TrialState::kWaiting) return state == TrialState::kConfirmed;
    if (trial.IsOver(host.clock().NowUnix()) || !host.clock().Wait(1000)) return false;
  }
}

Result<RunReport> KeepTrial(OpenNode& node, BegunRun run, const reconcile::Sections& more) {
  if (!run.trial) {
    return Fail(Code::kTarget, "no trial is open: it was confirmed or taken back already; see provisioner status");
  }
  reconcile::Sections sections;
  AddApplied(PROV_TRY(ReadTrial(*run.trial)).applied, sections);
  for (const auto& [name, text] : more) sections.insert_or_assign(name, text);
  RunReport report = PROV_TRY(reconcile::Confirm(node.machine, *std::move(run.trial), sections));
  AddBeginning(std::move(run), report);
  return report;
}

Result<RunReport> ConfirmTrial(OpenNode& node, BegunRun run) {
  reconcile::Sections end;
  if (run.trial && PROV_TRY(ReadTrial(*run.trial)).is_approved)
    PROV_TRY(AddEnd(node.machine.state, TrialEnd::kConfirmed, end));
  RunReport report = PROV_TRY(KeepTrial(node, std::move(run), end));
  LogRun(node.host, report);
  return report;
}

Result<bool> TrialWaits(OpenNode& node, const BegunRun& run) {
  if (!run.trial) return false;
  const Trial open = PROV_TRY(ReadTrial(*run.trial));
  return !open.IsOver(node.host.clock().NowUnix()) && open.boot == PROV_TRY(node.machine.system.BootId());
}

Result<RunReport> TakeTrialBack(OpenNode& node, const reconcile::Transaction& open, TrialEnd how,
                                const reconcile::Sections& instead) {
  const Trial trial = PROV_TRY(ReadTrial(open));
  reconcile::Plan plan = PROV_TRY(reconcile::PlanBack(node.machine, open));
  // No reboot is needed for services that started before the trial: they never saw its values.
  plan.reboot = plan.reboot && trial.boot != PROV_TRY(node.machine.system.BootId());
  const bool holds = !trial.is_approved || how == TrialEnd::kByPerson;
  reconcile::Sections sections = HoldAgainst(holds ? std::optional(trial.applied) : std::nullopt);
  if (trial.is_approved) PROV_TRY(AddEnd(node.machine.state, how, sections));
  for (const auto& [name, text] : instead) sections.insert_or_assign(name, text);
  return reconcile::CarryOut(node.machine, std::move(plan), sections);
}

Result<void> EndTrial(OpenNode& node, BegunRun& run) {
  if (!run.trial) return {};
  RunReport back = PROV_TRY(TakeTrialBack(node, *run.trial, TrialEnd::kCutShort));
  std::ranges::move(std::exchange(back.findings, {}), std::back_inserter(run.findings));  // `run` logs the warnings
  AddInfo(run.findings, "recovered", "a trial that was not confirmed was rolled back",
          std::string(machine::kJournalFile));
  LogRun(node.host, back, machine::Event::kRolledBack);
  run.trial.reset();
  return {};
}

}  // namespace prov::node
