#include "provisioner/node/reconcile_once.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "provisioner/egress/settings_digest.h"
#include "provisioner/node/activity.h"
#include "provisioner/node/apply.h"
#include "provisioner/node/approved_trial.h"
#include "provisioner/node/confirmed_settings.h"
#include "provisioner/node/scrub.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/node/trial.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/reboot.h"

namespace prov::node {
namespace {

struct Round {
  DerivedSettings derived;
  bool was_read = false;  // from the source just now
};

// Reports why nothing changes although the source can't be read, and how old the kept settings are.
Result<void> ReportKeptSettings(OpenNode& node, const Error& error, const Settings& kept, Findings& findings) {
  const auto applied = PROV_TRY(LoadApplied(node.machine.state));
  const std::string age = applied ? DescribeAge(node.host.clock().NowUnix() - applied->since) : "an unknown time";
  AddWarning(findings, "source-unavailable",
             fmt::format("the source can't be used ({}: {}); the settings of {}, applied {} ago, are kept",
                         InfoOf(error.code).name, error.message, NameOf(kept.config.source), age),
             error.where);
  return {};
}

// The result of reading the source in this round; nullopt: it is not to be read again.
using Fresh = std::optional<Result<Settings>>;

Fresh ReadFollowed(machine::Host& host, const StoredSource& source, const SettingsReader& read) {
  if (!source.follow) return std::nullopt;
  // Whoever can write the source's files decides what SYSTEM trusts, so check who can.
  const Result<void> trusted = CheckSourceFiles(host.installation(), source.spec);
  return trusted ? read(source.spec) : std::unexpected(trusted.error());
}

constexpr ApplyOptions OptionsOf(const StoredSource& source) { return {.adopt = source.adopt, .unattended = true}; }

// Treats settings that a guard refuses, or whose certificates may not be trusted, as a source that can't be read: the
// last good settings are kept in place.
Result<void> UseKeptIfRefused(OpenNode& node, const StoredSource& source, Result<DerivedSettings>& fresh) {
  const Result<void> checked =
      fresh ? CheckSettings(node, *fresh, OptionsOf(source)) : Result<void>(std::unexpected(fresh.error()));
  if (checked) return {};
  const Code code = checked.error().code;
  if (code != Code::kCert && InfoOf(code).exit != InfoOf(Code::kShrink).exit) return checked;
  fresh = std::unexpected(checked.error());
  return {};
}

Result<Round> Choose(OpenNode& node, const StoredSource& source, Fresh fresh, RoundReport& report) {
  if (!fresh) return Round{PROV_TRY(Derive(PROV_TRY(LastGoodSettings(node.machine.state)))), false};
  const bool was_read = fresh->has_value();
  Result<DerivedSettings> derived = was_read ? Derive(**std::move(fresh)) : std::unexpected(fresh->error());
  if (was_read) PROV_TRY(UseKeptIfRefused(node, source, derived));
  if (derived) return Round{*std::move(derived), true};
  auto kept = LastGoodSettings(node.machine.state);
  if (!kept)
    // Report the source's error: that nothing was kept is not the cause.
    return std::unexpected(std::move(derived).error());
  PROV_TRY(ReportKeptSettings(node, derived.error(), *kept, report.run.findings));
  report.source_error = std::move(derived).error();
  return Round{PROV_TRY(Derive(*std::move(kept))), false};
}

Result<bool> IsHeld(OpenNode& node, const std::string& digest) {
  const auto hold = PROV_TRY(LoadHold(node.machine.state));
  return hold && *hold == digest;
}

// Fails if no source is stored. Says so if one was, but the record is lost.
Result<void> RequireSource(OpenNode& node, const std::optional<StoredSource>& source) {
  if (source) return {};
  if (!PROV_TRY(RecordIsLost(node))) {
    return Fail(Code::kNotFound, "no source is stored on this machine; provisioner first-boot SOURCE stores one",
                std::string(machine::kStateFile));
  }
  return Fail(Code::kNotFound,
              "the record of this machine was lost, and with it the source of its settings, so what is set stays as "
              "it is; provisioner service install --source SOURCE stores it again",
              node.machine.state.folder().PathOf(machine::kStateFile));
}

struct Start {
  BegunRun run;
  bool held = false;  // nothing is to be done
  StoredSource source = {};
  std::optional<Applied> applied = {};
  std::optional<ApprovalRecord> approval = {};
  bool is_first_boot = false;
};

// What the cluster says of the settings that were read; nothing where they need no approval.
struct Ruling {
  bool asks = false;                      // this node's new settings wait for approval
  std::string digest = {};                // of the settings that were read
  bool is_new = false;                    // they are not the applied ones
  bool returns = false;                   // to former settings, in the place of those of the source
  std::optional<Approval> approval = {};  // they may be tried
  std::optional<Error> error = {};        // why that could not be read
  std::optional<Error> no_return = {};    // why the former settings, which are approved again, are not tried now
  std::optional<Error> unread = {};       // why the source could not be read, if the former settings are tried
  bool is_settled = false;                // the cluster has nothing more to say of the confirmed settings
  Findings findings = {};

  bool waits() const { return is_new && !approval; }
};

// A rollout that failed may approve the former settings in the place of those that this node has confirmed. The node
// asks for a day, and then as long as its last answer was an approval: then that rollout goes on.
bool MayReturn(const Start& first) {
  if (!first.applied || !first.approval || !first.approval->trial) return false;
  const ApprovedTrial& trial = *first.approval->trial;
  const bool is_applied = trial.digest == first.applied->source_digest;
  const bool was_return = !is_applied && trial.digest != first.approval->pending;  // and did not succeed
  return !trial.is_settled && (was_return || (is_applied && trial.result == ApprovedResult::kConfirmed));
}

Error NoReturn(Error why, std::string_view what) {
  why.message = fmt::format("the former settings are approved again for this node, and can't be tried now: {}: {}",
                            what, why.message);
  return why;
}

// Returns to the settings of `approval` if they are those that the fleet has confirmed last. They were proven once, so
// the API server alone has to answer, and it is asked before anything changes: while it does not, this is tried again
// in each round.
void ReturnIfApproved(machine::Host& host, Approver& approver, const Start& first, const Approval& approval,
                      Fresh& fresh, Ruling& out) {
  constexpr std::int64_t kReachSeconds = 30;
  if (approval.digest == first.applied->source_digest || !first.approval->MayTry(approval, approval.digest)) return;
  auto confirmed = ConfirmedSettings(host, approver, first.source.spec);
  if (!confirmed) {
    out.no_return = NoReturn(confirmed.error(), "they can't be read");
    return;
  }
  if (!*confirmed || (**confirmed).source_digest != approval.digest) return;
  if (const auto reached = approver.Reach((**confirmed).config, kReachSeconds); !reached) {
    out.no_return = NoReturn(reached.error(), "with them the API server does not answer");
    return;
  }
  if (!*fresh) out.unread = fresh->error();
  fresh = **std::move(confirmed);
  out.digest = approval.digest;
  out.is_new = out.returns = true;
  out.approval = approval;
  out.approval->probes.clear();
  out.approval->images.clear();
}

// What a node without applied settings takes. Without a record of an earlier life, it is a first boot, which nothing
// holds up.
void AskFirst(machine::Host& host, Approver* approver, const Start& first, Settings& fresh, Ruling& out) {
  if (first.is_first_boot) {
    if (approver != nullptr) BeginWithConfirmed(host, *approver, first.source.spec, fresh, out.findings);
    return;
  }
  out.is_new = true;
  if (approver == nullptr) return;
  auto confirmed = ConfirmedSettings(host, *approver, first.source.spec);
  if (!confirmed) {
    out.error = confirmed.error();
  } else if (*confirmed) {
    out.is_new = false;
    if ((**confirmed).source_digest != out.digest) fresh = **std::move(confirmed);
  }
}

Ruling Ask(machine::Host& host, Approver* approver, RoundBy by, const Start& first, Fresh& fresh) {
  Ruling out;
  out.asks = first.source.follow && (approver != nullptr || (by == RoundBy::kPerson && first.approval));
  if (!out.asks || !fresh) return out;
  if (*fresh) {
    Settings& settings = **fresh;
    if (settings.source_digest.empty()) settings.source_digest = egress::SettingsDigest(settings.config);
    out.digest = settings.source_digest;
    out.is_new = first.applied && first.applied->source_digest != out.digest;
    if (!first.applied) AskFirst(host, approver, first, settings, out);
  }
  const bool may_return = MayReturn(first);
  if (approver == nullptr || out.error || (!out.is_new && !may_return)) return out;
  const auto approval = approver->Read();
  if (!approval) {
    if (out.is_new) out.error = approval.error();
    return out;
  }
  constexpr std::int64_t kDay = 86400;
  out.is_settled = may_return && !*approval && host.clock().NowUnix() - first.applied->since >= kDay;
  if (!*approval) return out;
  const ApprovalRecord known = first.approval.value_or(ApprovalRecord());
  if (out.is_new && known.MayTry(**approval, out.digest)) {
    out.approval = **approval;
  } else if (may_return) {
    ReturnIfApproved(host, *approver, first, **approval, fresh, out);
  }
  return out;
}

// Whether this machine has been through a boot of ours, although nothing is recorded as applied.
Result<bool> HadSettings(OpenNode& node) {
  if (PROV_TRY(RecordIsLost(node)) || PROV_TRY(LoadRemoved(node.machine.state))) return true;
  if (!PROV_TRY(reconcile::LoadLedger(node.machine.state)).empty()) return true;
  return std::ranges::any_of(PROV_TRY(LoadRepairs(node.machine.state)),
                             [](const PastRepair& one) { return !one.file.effect.empty(); });
}

Result<bool> IsApprovedTrial(OpenNode& node, const BegunRun& run) {
  if (!run.trial) return false;
  const auto trial = PROV_TRY(LoadTrial(node.machine.state));
  return trial && trial->is_approved;
}

// `may_be_proven`: another process may be proving a trial of approved settings now.
Result<Start> Begin(OpenNode& node, bool may_be_proven) {
  Start out{PROV_TRY(BeginRun(node))};
  Findings& findings = out.run.findings;
  // Nobody confirms a trial of approved settings whose process has ended.
  const bool is_proven = may_be_proven || !PROV_TRY(IsApprovedTrial(node, out.run));
  if (is_proven && PROV_TRY(TrialWaits(node, out.run))) {
    AddInfo(findings, "trial-open",
            PROV_TRY(IsApprovedTrial(node, out.run))
                ? "a trial of settings that the cluster approved runs; nothing is done until it ends"
                : "a trial waits for provisioner confirm; nothing is done until then");
    out.held = true;
    return out;
  }
  PROV_TRY(EndTrial(node, out.run));
  PROV_TRY(ResolveApproved(node));
  PROV_TRY(ScrubSecretFiles(node, findings));
  auto source = PROV_TRY(LoadSource(node.machine.state));
  PROV_TRY(RequireSource(node, source));
  out.source = *std::move(source);
  out.applied = PROV_TRY(LoadApplied(node.machine.state));
  out.approval = PROV_TRY(LoadApproval(node.machine.state));
  out.is_first_boot = !out.applied && !PROV_TRY(HadSettings(node));
  return out;
}

RoundReport HeldReport(Start start) {
  RoundReport out;
  out.run.findings = std::move(start.run.findings);
  out.held = true;
  return out;
}

Result<void> AddHeld(OpenNode& node, RoundReport& report) {
  AddInfo(report.run.findings, "held",
          "a rollback holds: nothing is done until the source says something else or provisioner apply is called");
  report.held = true;
  report.run.reboot_required = PROV_TRY(reconcile::RebootPending(node.machine));
  return {};
}

Result<void> ApplyInto(OpenNode& node, Start start, const DerivedSettings& derived, reconcile::Sections sections,
                       RoundReport& report) {
  Findings& findings = report.run.findings;
  reconcile::RunReport applied =
      PROV_TRY(ApplySettings(node, std::move(start.run), derived, OptionsOf(start.source), std::move(sections)));
  applied.findings.insert(applied.findings.begin(), findings.begin(), findings.end());
  report.run = std::move(applied);
  return {};
}

// The sections that become true when settings of the source are applied.
reconcile::Sections ReadSections(const DerivedSettings& derived) {
  return {{std::string(kSettingsSection), derived.json},
          {std::string(kFailureSection), std::nullopt}};  // a first boot that failed has now succeeded
}

// The record of a node on which nothing waits; nullopt: it takes settings without approval.
std::optional<std::string> SettledApproval(const Start& start, const Ruling& ruling, bool was_read) {
  if (!ruling.asks) return std::nullopt;
  ApprovalRecord record = start.approval.value_or(ApprovalRecord());
  if (was_read) record.SetPending(std::nullopt);
  if (ruling.is_settled && record.trial) record.trial->is_settled = true;
  return ApprovalJson(record);
}

// Whether the last good settings of the source are those that were applied last.
bool IsApplied(const Start& start, const DerivedSettings& kept) {
  return start.applied && start.applied->digest == kept.digest;
}

// Whether a rollback holds against settings that were read and wait.
Result<bool> HoldsAgainst(OpenNode& node, const Fresh& fresh) {
  const Result<DerivedSettings> derived = Derive(**fresh);
  return derived && PROV_TRY(IsHeld(node, derived->digest));
}

// Keeps the applied settings in place while new ones wait.
Result<void> Await(OpenNode& node, Start start, const Fresh& fresh, const Ruling& ruling, RoundReport& report) {
  Findings& findings = report.run.findings;
  ApprovalRecord record = start.approval.value_or(ApprovalRecord());
  record.SetPending(ruling.digest);
  if (ruling.is_settled && record.trial) record.trial->is_settled = true;
  if (ruling.error) {
    AddWarning(findings, "approval-unread",
               fmt::format("whether the cluster approves the new settings can't be read ({}: {}); the former ones are "
                           "kept",
                           InfoOf(ruling.error->code).name, ruling.error->message),
               ruling.error->where);
    report.source_error = ruling.error;
  } else if (record.WasTakenBack(ruling.digest)) {
    AddInfo(findings, "approval-pending",
            fmt::format("the new settings were tried here and taken back, and wait for another approval: {}",
                        record.trial->reason));
  } else {
    AddInfo(findings, "approval-pending",
            "the new settings of the source wait until the cluster approves them for this node");
  }
  std::string json = ApprovalJson(record);
  const auto kept = LastGoodSettings(node.machine.state);
  if (kept) {
    const DerivedSettings derived = PROV_TRY(Derive(*kept));
    if (IsApplied(start, derived)) {
      if (!PROV_TRY(IsHeld(node, derived.digest)) && !PROV_TRY(HoldsAgainst(node, fresh)))
        return ApplyInto(node, std::move(start), derived, {{std::string(kApprovalSection), std::move(json)}}, report);
      PROV_TRY(AddHeld(node, report));
    }
  }
  // There is nothing to repair the applied settings from.
  return Remember(node.machine.state, kApprovalSection, std::move(json));
}

Result<RoundReport> FinishRound(OpenNode& node, Start start, Fresh fresh, const Ruling& ruling) {
  RoundReport report;
  report.run.findings = std::exchange(start.run.findings, {});
  if (ruling.waits()) {
    PROV_TRY(Await(node, std::move(start), fresh, ruling, report));
    return report;
  }
  const Round round = PROV_TRY(Choose(node, start.source, std::move(fresh), report));
  if (PROV_TRY(IsHeld(node, round.derived.digest))) {
    PROV_TRY(AddHeld(node, report));
    return report;
  }
  reconcile::Sections sections;
  if (round.was_read) sections = ReadSections(round.derived);
  sections[std::string(kApprovalSection)] = SettledApproval(start, ruling, round.was_read);
  // What was stored and never applied waits, too, while the source can't be read.
  if (ruling.asks && !round.was_read && !start.is_first_boot && !IsApplied(start, round.derived)) {
    PROV_TRY(Remember(node.machine.state, kApprovalSection, *sections[std::string(kApprovalSection)]));
    return report;
  }
  if (start.source.adopt) {
    sections[std::string(kSourceSection)] = SourceJson({start.source.spec, start.source.follow});
  }
  PROV_TRY(ApplyInto(node, std::move(start), round.derived, std::move(sections), report));
  return report;
}

// Notes a failure to begin as one of the stored source, if that is known.
void NoteFailedBegin(OpenNode& node, const Error& error) {
  const auto source = LoadSource(node.machine.state);
  if (source && *source) NoteRound(node, **source, false, &error);
}

// Begins a round; the machine is open only during this call.
Result<Start> BeginOn(machine::Host& host, RoundBy by) {
  const auto open = PROV_TRY(host.Open(machine::Access::kWrite));
  OpenNode node{host, open->Ports()};
  Result<Start> start = Begin(node, by == RoundBy::kPerson);
  if (!start) NoteFailedBegin(node, start.error());
  return start;
}

// Begins again, with the machine open after the source was read.
Result<Start> BeginAgain(OpenNode& node, const Start& first, const Ruling& ruling) {
  Start again = PROV_TRY(Begin(node, true));
  if (again.held) return again;
  if (again.source != first.source) {
    return Fail(Code::kLock, "another source was stored while the old one was read; the next round reads it",
                std::string(machine::kStateFile));
  }
  if (ruling.asks && (again.applied != first.applied || again.approval != first.approval)) {
    return Fail(Code::kLock, "settings were applied while the source was read; the next round compares them",
                std::string(machine::kStateFile));
  }
  Findings& findings = again.run.findings;
  findings.insert(findings.begin(), first.run.findings.begin(), first.run.findings.end());
  findings.insert(findings.end(), ruling.findings.begin(), ruling.findings.end());
  return again;
}

// Ends a round.
Result<RoundReport> EndOn(OpenNode& node, Start again, Fresh fresh, const Ruling& ruling) {
  const bool was_read = fresh && fresh->has_value();
  const StoredSource source = again.source;
  Result<RoundReport> report = FinishRound(node, std::move(again), std::move(fresh), ruling);
  if (report && ruling.no_return) {
    AddWarning(report->run.findings, "approval-return", ruling.no_return->message, ruling.no_return->where);
    if (!report->source_error) report->source_error = ruling.no_return;
  }
  const Error* failure = nullptr;
  if (!report) failure = &report.error();
  if (report && report->source_error) failure = &*report->source_error;
  NoteRound(node, source, was_read && failure == nullptr, failure);
  return report;
}

// Begins the trial of approved settings, or says why there is none.
Result<std::variant<RoundReport, BegunApproved>> Try(OpenNode& node, Start again, Settings fresh,
                                                     const Ruling& ruling) {
  const StoredSource source = again.source;
  const Approval& approval = *ruling.approval;
  const auto note = [&] { NoteRound(node, source, !ruling.unread, ruling.unread ? &*ruling.unread : nullptr); };
  std::optional<std::string> pending = approval.digest;
  if (ruling.returns) pending = again.approval.value_or(ApprovalRecord()).pending;
  Result<DerivedSettings> derived = Derive(std::move(fresh));
  if (!derived) {
    RoundReport report;
    report.run.findings = std::move(again.run.findings);
    report.run.findings.push_back(PROV_TRY(RefuseApproved(node, approval, pending, derived.error())));
    note();
    return report;
  }
  // A rollback by a person holds, whatever the cluster says: against what is tried, and against what is returned from.
  const bool holds = PROV_TRY(IsHeld(node, derived->digest)) ||
                     (ruling.returns && again.applied && PROV_TRY(IsHeld(node, again.applied->digest)));
  if (holds) {
    RoundReport report;
    report.run.findings = std::move(again.run.findings);
    PROV_TRY(AddHeld(node, report));
    return report;
  }
  reconcile::Sections sections = ReadSections(*derived);
  note();
  ApprovedSettings what{*std::move(derived), approval, std::move(pending)};
  return PROV_TRY(BeginApproved(node, std::move(again.run), std::move(what), OptionsOf(source), std::move(sections)));
}

}  // namespace

Result<Settings> LastGoodSettings(machine::StateRecord& state) {
  const auto kept = PROV_TRY(state.Read(kSettingsSection));
  if (!kept) {
    return Fail(Code::kNotFound,
                "no settings were ever read successfully from the stored source; run provisioner first-boot or apply",
                std::string(machine::kStateFile));
  }
  return ParseSettings(kept->Json(), fmt::format("{}, {}", machine::kStateFile, kSettingsSection));
}

std::string DescribeAge(std::int64_t seconds) {
  const std::int64_t minutes = std::max<std::int64_t>(seconds, 0) / 60;
  const std::int64_t hours = minutes / 60;
  const std::int64_t days = hours / 24;
  if (days > 0) return fmt::format("{} d {} h", days, hours % 24);
  if (hours > 0) return fmt::format("{} h {} min", hours, minutes % 60);
  return fmt::format("{} min", minutes);
}

Result<std::optional<RoundReport>> RunRound(machine::Host& host, const SettingsReader& read, Approver* approver,
                                            RoundBy by) {
  Start first = PROV_TRY(BeginOn(host, by));
  if (first.held) return HeldReport(std::move(first));
  Fresh fresh = ReadFollowed(host, first.source, read);
  if (fresh && !*fresh && !host.clock().Wait(0)) return std::nullopt;  // a stop was requested while reading
  Ruling ruling = Ask(host, approver, by, first, fresh);
  if (ruling.error && !host.clock().Wait(0)) return std::nullopt;
  auto open = PROV_TRY(host.Open(machine::Access::kWrite));
  OpenNode node{host, open->Ports()};
  Start again = PROV_TRY(BeginAgain(node, first, ruling));
  if (again.held) return HeldReport(std::move(again));
  if (!ruling.approval) return PROV_TRY(EndOn(node, std::move(again), std::move(fresh), ruling));
  auto begun = PROV_TRY(Try(node, std::move(again), **std::move(fresh), ruling));
  open.reset();  // the settings are proven with the machine closed
  if (auto* const report = std::get_if<RoundReport>(&begun)) return std::move(*report);
  EndedApproved ended = PROV_TRY(EndApproved(host, *approver, std::get<BegunApproved>(std::move(begun))));
  return RoundReport{.run = std::move(ended.run), .source_error = ruling.unread};
}

}  // namespace prov::node
