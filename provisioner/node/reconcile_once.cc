#include "provisioner/node/reconcile_once.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/node/activity.h"
#include "provisioner/node/apply.h"
#include "provisioner/node/scrub.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/node/trial.h"
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
  StoredSource source;
};

Result<Start> Begin(OpenNode& node) {
  Start out{PROV_TRY(BeginRun(node)), false, {}};
  Findings& findings = out.run.findings;
  if (PROV_TRY(TrialWaits(node, out.run))) {
    AddInfo(findings, "trial-open", "a trial waits for provisioner confirm; nothing is done until then");
    out.held = true;
    return out;
  }
  PROV_TRY(EndTrial(node, out.run));
  PROV_TRY(ScrubSecretFiles(node, findings));
  auto source = PROV_TRY(LoadSource(node.machine.state));
  PROV_TRY(RequireSource(node, source));
  out.source = *std::move(source);
  return out;
}

RoundReport HeldReport(Start start) {
  RoundReport out;
  out.run.findings = std::move(start.run.findings);
  out.held = true;
  return out;
}

Result<RoundReport> FinishRound(OpenNode& node, Start start, Fresh fresh) {
  RoundReport report;
  Findings& findings = report.run.findings;
  findings = std::exchange(start.run.findings, {});
  const Round round = PROV_TRY(Choose(node, start.source, std::move(fresh), report));
  if (PROV_TRY(IsHeld(node, round.derived.digest))) {
    AddInfo(findings, "held",
            "a rollback holds: nothing is done until the source says something else or provisioner apply is called");
    report.held = true;
    report.run.reboot_required = PROV_TRY(reconcile::RebootPending(node.machine));
    return report;
  }
  reconcile::Sections sections;
  if (round.was_read) {
    sections[std::string(kSettingsSection)] = round.derived.json;
    sections[std::string(kFailureSection)] = std::nullopt;  // a first boot that failed has now succeeded
  }
  if (start.source.adopt) {
    sections[std::string(kSourceSection)] = SourceJson({start.source.spec, start.source.follow});
  }
  reconcile::RunReport applied =
      PROV_TRY(ApplySettings(node, std::move(start.run), round.derived, OptionsOf(start.source), std::move(sections)));
  applied.findings.insert(applied.findings.begin(), findings.begin(), findings.end());
  report.run = std::move(applied);
  return report;
}

// Notes a failure to begin as one of the stored source, if that is known.
void NoteFailedBegin(OpenNode& node, const Error& error) {
  const auto source = LoadSource(node.machine.state);
  if (source && *source) NoteRound(node, **source, false, &error);
}

// Begins a round; the machine is open only during this call.
Result<Start> BeginOn(machine::Host& host) {
  const auto open = PROV_TRY(host.Open(machine::Access::kWrite));
  OpenNode node{host, open->Ports()};
  Result<Start> start = Begin(node);
  if (!start) NoteFailedBegin(node, start.error());
  return start;
}

// Ends a round, with the machine open again after the source was read.
Result<RoundReport> EndOn(OpenNode& node, const Start& first, Fresh fresh) {
  Start again = PROV_TRY(Begin(node));
  if (again.held) return HeldReport(std::move(again));
  if (again.source != first.source) {
    return Fail(Code::kLock, "another source was stored while the old one was read; the next round reads it",
                std::string(machine::kStateFile));
  }
  Findings& findings = again.run.findings;
  findings.insert(findings.begin(), first.run.findings.begin(), first.run.findings.end());
  const bool was_read = fresh && fresh->has_value();
  const StoredSource source = again.source;
  Result<RoundReport> report = FinishRound(node, std::move(again), std::move(fresh));
  const Error* failure = nullptr;
  if (!report) failure = &report.error();
  if (report && report->source_error) failure = &*report->source_error;
  NoteRound(node, source, was_read && failure == nullptr, failure);
  return report;
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

Result<std::optional<RoundReport>> RunRound(machine::Host& host, const SettingsReader& read) {
  Start first = PROV_TRY(BeginOn(host));
  if (first.held) return HeldReport(std::move(first));
  Fresh fresh = ReadFollowed(host, first.source, read);
  if (fresh && !*fresh && !host.clock().Wait(0)) return std::nullopt;  // a stop was requested while reading
  const auto open = PROV_TRY(host.Open(machine::Access::kWrite));
  OpenNode node{host, open->Ports()};
  return PROV_TRY(EndOn(node, first, std::move(fresh)));
}

}  // namespace prov::node
