#include "provisioner/node/approved_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "provisioner/base/sentence.h"
#include "provisioner/egress/request_way.h"
#include "provisioner/node/events.h"
#include "provisioner/node/probe.h"
#include "provisioner/node/records.h"
#include "provisioner/node/trial.h"
#include "provisioner/pull/pull.h"
#include "provisioner/reconcile/transaction.h"
#include "provisioner/registries/hosts_folder.h"
#include "provisioner/registries/operator_hosts.h"

namespace prov::node {
namespace {

using reconcile::RunReport;

constexpr int kMostOpenTries = 60;       // a second apart: a command of a person may be under way
constexpr std::int64_t kMostReach = 30;  // seconds
constexpr int kRequestSeconds = 10;

// What is left of the trial's time, at most `most`. Errors: network (nothing).
Result<std::int64_t> TimeLeft(machine::Host& host, const BegunApproved& begun, std::int64_t most) {
  const std::int64_t left = begun.until - host.clock().NowUnix();
  if (left > 0) return std::min({left, most, begun.approval.trial_seconds});
  return Fail(Code::kNetwork, fmt::format("the {} seconds of the trial were over before the settings were proven",
                                          begun.approval.trial_seconds));
}

// Where containerd asks for an image on a node with these settings.
Result<registries::ImageEndpoints> EndpointsOf(const std::string& text, const Settings& settings, Findings& findings) {
  const registries::ImageReference image = PROV_TRY(registries::ParseImageReference(text, text));
  const registries::ContainerdRules rules{.version = registries::Containerd::k2, .windows = true};
  if (settings.options.scope.registries && settings.options.registry_folder) {
    const auto folder = registries::HostsFolder::Read(*settings.options.registry_folder, rules.version, findings);
    return registries::ContainerdEndpoints(image, folder ? folder->Find(image.registry, true) : nullptr, rules);
  }
  const registries::Mirrors& mirrors = settings.config.mirrors;
  if (!mirrors.stated() || mirrors.fault) return registries::ContainerdEndpoints(image, nullptr, rules);
  return registries::OpenShiftWindowsEndpoints(image, mirrors, registries::MakeOperatorHosts(mirrors, {}));
}

Result<void> ProveImage(machine::Host& host, const BegunApproved& begun, const std::string& text, Findings& findings) {
  const Settings& settings = begun.derived.settings;
  registries::ImageEndpoints image = PROV_TRY(EndpointsOf(text, settings, findings));
  for (registries::Endpoint& endpoint : image.endpoints) PROV_TRY(registries::ReadRoots(endpoint, findings));
  pull::PullOptions options;
  options.roots = egress::RootsOf(settings.config, settings.options.trusted);
  options.timeout_seconds = kRequestSeconds;
  options.total_seconds = PROV_TRY(TimeLeft(host, begun, begun.approval.trial_seconds));
  std::optional<pull::PullSecret> logins;
  if (settings.config.pull_secret) {
    logins = PROV_TRY(pull::PullSecret::Parse(settings.config.pull_secret->Reveal(), "the source's pull secret"));
    options.logins = &*logins;
  }
  const pull::Pulled pulled = PROV_TRY(pull::Pull(host.http(), host.clock(), settings.config, image, options));
  if (pulled.arrives()) return {};
  Error error = *pulled.error;
  error.message = fmt::format("the image {} does not arrive: {}", pulled.image, error.message);
  return std::unexpected(std::move(error));
}

Result<void> Prove(machine::Host& host, Approver& approver, const BegunApproved& begun, Findings& findings) {
  const Settings& settings = begun.derived.settings;
  const Result<void> reached = approver.Reach(settings.config, PROV_TRY(TimeLeft(host, begun, kMostReach)));
  if (!reached) {
    Error error = reached.error();
    error.message = fmt::format("with these settings the API server does not answer: {}", error.message);
    return std::unexpected(std::move(error));
  }
  ProbeOptions options;
  options.trusted = settings.options.trusted;
  options.total_seconds = PROV_TRY(TimeLeft(host, begun, begun.approval.trial_seconds));
  PROV_TRY(ProbeAll(host, settings.config, begun.approval.probes, options, findings));
  for (const std::string& image : begun.approval.images) PROV_TRY(ProveImage(host, begun, image, findings));
  PROV_TRY(TimeLeft(host, begun, 1));
  return {};
}

Result<std::unique_ptr<machine::OpenMachine>> OpenAgain(machine::Host& host) {
  for (int tries = 1;; ++tries) {
    auto open = host.Open(machine::Access::kWrite);
    const bool again = !open && open.error().code == Code::kLock && tries < kMostOpenTries;
    if (!again || !host.clock().Wait(1000)) return open;
  }
}

std::string JsonAfter(ApprovalRecord record, ApprovedResult result, std::string reason = {}) {
  record.trial->result = result;
  record.trial->reason = std::move(reason);
  if (result == ApprovedResult::kConfirmed && record.pending == record.trial->digest) record.pending.reset();
  return ApprovalJson(record);
}

Result<RunReport> ConfirmApproved(OpenNode& node, BegunRun run, BegunApproved& begun) {
  begun.sections[std::string(kApprovalSection)] = JsonAfter(begun.record, ApprovedResult::kConfirmed);
  if (!begun.trial) return ApplySettings(node, std::move(run), begun.derived, begun.options, std::move(begun.sections));
  RunReport confirmed = PROV_TRY(KeepTrial(node, std::move(run), begun.sections));
  RunReport report = std::move(begun.report);
  report.trial = false;
  report.writes = confirmed.writes;
  report.changes = std::move(confirmed.changes);
  report.reboot_required = confirmed.reboot_required;
  std::ranges::move(confirmed.findings, std::back_inserter(report.findings));
  return report;
}

// Whether what is open and recorded now is the trial that this process has begun.
Result<bool> IsOwn(OpenNode& node, const BegunRun& run, const BegunApproved& begun) {
  const auto record = PROV_TRY(LoadApproval(node.machine.state));
  if (!record || record->trial != begun.record.trial) return false;
  if (begun.trial) return run.trial && PROV_TRY(LoadTrial(node.machine.state)) == begun.trial;
  return !run.trial && PROV_TRY(LoadApplied(node.machine.state)) == begun.applied;
}

// How a trial of this process that is not confirmed ends.
struct Verdict {
  ApprovedResult result = ApprovedResult::kTakenBack;
  std::string reason;
};

Verdict VerdictOf(machine::Host& host, const BegunApproved& begun, const Result<void>& proven) {
  if (!proven) {
    // The former settings were proven once: that nothing answers now says nothing of them.
    const bool says_nothing = begun.returns() && !begun.failure;
    return {says_nothing ? ApprovedResult::kUndecided : ApprovedResult::kTakenBack,
            SentenceWithPlace(proven.error().message, PlaceOf(proven.error()))};
  }
  if (host.clock().NowUnix() >= begun.until && !begun.returns()) {
    return {ApprovedResult::kTakenBack,
            fmt::format("the settings were proven, but the {} seconds of the trial were over before they could be "
                        "confirmed: another command had the machine open",
                        begun.approval.trial_seconds)};
  }
  ApprovalRecord record = begun.record;  // the clock was set back
  record.End(TrialEnd::kCutShort);
  return {record.trial->result, record.trial->reason};
}

Result<void> TakeApprovedBack(OpenNode& node, BegunRun& run, const BegunApproved& begun, const Verdict& verdict) {
  std::string json = JsonAfter(begun.record, verdict.result, verdict.reason);
  if (!run.trial) return Remember(node.machine.state, kApprovalSection, std::move(json));
  RunReport back = PROV_TRY(
      TakeTrialBack(node, *run.trial, TrialEnd::kCutShort, {{std::string(kApprovalSection), std::move(json)}}));
  LogRun(node.host, back, machine::Event::kRolledBack);
  return {};
}

// What another run has made of the trial.
Result<ApprovedTrial> EndedByOthers(OpenNode& node, const BegunApproved& begun) {
  auto record = PROV_TRY(LoadApproval(node.machine.state));
  if (record && record->trial == begun.record.trial) {
    PROV_TRY(ResolveApproved(node));
    record = PROV_TRY(LoadApproval(node.machine.state));
  }
  const bool knows = record && record->trial && record->trial->digest == begun.approval.digest &&
                     record->trial->attempt == begun.approval.attempt;
  if (knows) return *record->trial;
  ApprovalRecord out = begun.record;
  out.End(TrialEnd::kCutShort);
  return *out.trial;
}

void AddTakenBack(const ApprovedTrial& trial, Findings& findings) {
  AddWarning(findings, "approval-taken-back",
             fmt::format("settings that the cluster approved were tried and taken back{}: {}",
                         trial.result == ApprovedResult::kUndecided ? ", and are tried again" : "", trial.reason));
}

}  // namespace

Result<Finding> RefuseApproved(OpenNode& node, const Approval& approval, const std::optional<std::string>& pending,
                               const Error& error) {
  const ApprovedTrial trial{approval.digest, ApprovedResult::kTakenBack,
                            SentenceWithPlace(error.message, PlaceOf(error)), approval.attempt};
  PROV_TRY(Remember(node.machine.state, kApprovalSection, ApprovalJson({pending, trial})));
  Findings out;
  AddTakenBack(trial, out);
  return out.front();
}

Result<BegunApproved> BeginApproved(OpenNode& node, BegunRun run, ApprovedSettings what, const ApplyOptions& options,
                                    reconcile::Sections sections) {
  ApprovedTrial trial{what.approval.digest, ApprovedResult::kRunning, {}, what.approval.attempt};
  const auto before = PROV_TRY(LoadApproval(node.machine.state)).value_or(ApprovalRecord()).trial;
  trial.is_second = before && before->result == ApprovedResult::kUndecided && before->digest == trial.digest &&
                    before->attempt == trial.attempt;
  BegunApproved out{.derived = std::move(what.derived),
                    .approval = std::move(what.approval),
                    .options = options,
                    .sections = std::move(sections),
                    .record = {std::move(what.pending), std::move(trial)},
                    .until = node.host.clock().NowUnix(),
                    .applied = PROV_TRY(LoadApplied(node.machine.state))};
  out.until += out.approval.trial_seconds;
  PROV_TRY(Remember(node.machine.state, kApprovalSection, ApprovalJson(out.record)));
  Result<RunReport> tried = TrySettings(node, std::move(run), out.derived, options, out.approval.trial_seconds, true);
  if (tried) {
    out.report = *std::move(tried);
    out.trial = PROV_TRY(LoadTrial(node.machine.state));
  } else {
    out.failure = std::move(tried).error();
    // If there is one, it is of this call: no other is open when it begins.
    if (auto open = LoadTrial(node.machine.state)) out.trial = *std::move(open);
  }
  if (out.trial) out.until = out.trial->until;
  return out;
}

Result<EndedApproved> EndApproved(machine::Host& host, Approver& approver, BegunApproved begun) {
  Findings& findings = begun.report.findings;
  const Result<void> proven =
      begun.failure ? Result<void>(std::unexpected(*begun.failure)) : Prove(host, approver, begun, findings);
  const auto open = PROV_TRY(OpenAgain(host));
  OpenNode node{host, open->Ports()};
  BegunRun run = PROV_TRY(BeginRun(node));
  ApprovedTrial trial = *begun.record.trial;
  RunReport report;
  if (!PROV_TRY(IsOwn(node, run, begun))) {
    trial = PROV_TRY(EndedByOthers(node, begun));
  } else if (proven && (!begun.trial || PROV_TRY(TrialWaits(node, run)))) {
    report = PROV_TRY(ConfirmApproved(node, std::move(run), begun));
    AddInfo(report.findings, "approval-confirmed",
            "settings that the cluster approved were tried and are confirmed: the API server and each probe answered");
    trial.result = ApprovedResult::kConfirmed;
    return EndedApproved{std::move(report), std::move(trial)};
  } else {
    const Verdict verdict = VerdictOf(host, begun, proven);
    PROV_TRY(TakeApprovedBack(node, run, begun, verdict));
    trial.result = verdict.result;
    trial.reason = verdict.reason;
  }
  report.findings = std::move(findings);
  if (trial.result != ApprovedResult::kConfirmed) AddTakenBack(trial, report.findings);
  return EndedApproved{std::move(report), std::move(trial)};
}

Result<void> ResolveApproved(OpenNode& node) {
  reconcile::Sections sections;
  PROV_TRY(AddEnd(node.machine.state, TrialEnd::kCutShort, sections));
  return sections.empty() ? Result<void>() : node.machine.state.Commit(sections);
}

}  // namespace prov::node
