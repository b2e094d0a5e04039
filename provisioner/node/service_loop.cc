#include "provisioner/node/service_loop.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "provisioner/base/clock.h"
#include "provisioner/base/hash.h"
#include "provisioner/node/events.h"
#include "provisioner/node/records.h"

namespace prov::node {
namespace {

using machine::Event;

constexpr std::int64_t kBusyWait = 5 * kMillisecondsPerSecond;
constexpr std::int64_t kSecondsPerDay = 86400;
constexpr std::size_t kMostCauses = 16;

// How many rounds in a row must find the machine busy before that is reported, and before it is reported again.
constexpr std::int64_t kLongBusy = 600 * kMillisecondsPerSecond / kBusyWait;
constexpr std::int64_t kBusyInADay = kSecondsPerDay * kMillisecondsPerSecond / kBusyWait;

// A key for the outcome of a round: an outcome with the same key is reported once.
std::string OutcomeKey(const Result<RoundReport>& round) {
  if (!round) return fmt::format("{} {}", round.error().message, round.error().where);
  std::string out = round->source_error ? round->source_error->message : "";
  for (const Finding& f : round->run.findings) out += fmt::format("|{}|{}", f.code, f.where);
  return out + (round->held ? "|held" : "");
}

// What was reported last, and when.
class LastReport {
 public:
  // Whether to report now: the outcome is new, or it is trouble that was reported a day ago and persists.
  bool IsDue(std::string outcome, bool is_trouble, std::int64_t now) {
    const bool due = !known_ || *known_ != outcome || (is_trouble && now - at_ >= kSecondsPerDay);
    known_ = std::move(outcome);
    if (due) at_ = now;
    return due;
  }

 private:
  std::optional<std::string> known_;
  std::int64_t at_ = 0;  // Unix time
};

void ReportFailure(machine::Host& host, const Error& error, const LoopOptions& options) {
  LogFailure(host, error);
  if (options.on_failure) options.on_failure(error);
}

void ReportRound(machine::Host& host, const Result<RoundReport>& round, const LoopOptions& options, LastReport& last) {
  const bool is_trouble = !round || round->source_error.has_value();
  const bool is_due = last.IsDue(OutcomeKey(round), is_trouble, host.clock().NowUnix());
  if (!round) {
    if (is_due) ReportFailure(host, round.error(), options);
  } else if (is_due || round->run.writes > 0) {
    LogRound(host, *round);
    if (options.on_report) options.on_report(*round);
  }
}

struct Rhythm {
  std::int64_t seconds = 0;
  std::string machine;  // its id
};

// Read before each pause: another interval may have been stored meanwhile.
Rhythm RhythmOf(machine::Host& host) {
  Rhythm out;
  const auto open = host.Open(machine::Access::kRead);
  if (!open) return out;
  machine::Machine ports = (*open)->Ports();
  out.machine = ports.system.MachineId().value_or("");
  const auto stored = LoadService(ports.state);
  if (stored && *stored) out.seconds = (*stored)->interval_seconds;
  return out;
}

std::int64_t PauseOf(machine::Host& host, const LoopOptions& options) {
  const Rhythm rhythm = RhythmOf(host);
  const std::int64_t seconds = options.interval_seconds != 0 ? options.interval_seconds : rhythm.seconds;
  const std::int64_t pause = (seconds != 0 ? seconds : kDefaultInterval) * kMillisecondsPerSecond;
  return options.varies ? Jittered(pause, rhythm.machine, host.clock().NowUnix()) : pause;
}

// False: this program was asked to stop.
bool EndRound(machine::Host& host, const LoopOptions& options) {
  if (options.after_round) options.after_round();
  const std::int64_t pause = PauseOf(host, options);
  return options.wait ? options.wait(pause) : host.clock().Wait(pause);
}

}  // namespace

std::int64_t Jittered(std::int64_t milliseconds, std::string_view machine, std::int64_t now) {
  const std::string digest = Sha256(fmt::format("{} {}", machine, now));
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(number); ++i) number = (number << 8U) | static_cast<unsigned char>(digest[i]);
  const std::int64_t most = milliseconds / 10;
  return milliseconds - most + static_cast<std::int64_t>(number % static_cast<std::uint64_t>(2 * most + 1));
}

bool DailyLimit::IsDue(const std::string& cause, std::int64_t now) {
  if (known_.size() >= kMostCauses && !known_.contains(cause)) known_.clear();
  const auto [known, is_new] = known_.try_emplace(cause, now);
  return is_new || now - std::exchange(known->second, now) >= kSecondsPerDay;
}

bool FailureLog::Write(const Error& error) {
  const bool is_due = limit_.IsDue(error.message, host_.clock().NowUnix());
  if (is_due) LogFailure(host_, error);
  return is_due;
}

void LogRound(machine::Host& host, const RoundReport& report) {
  if (report.held) {
    LogEvent(host, Event::kHeld, Severity::kInfo,
             report.run.findings.empty() ? "held" : report.run.findings.back().message);
    return;
  }
  LogRun(host, report.run, report.source_error ? Event::kSourceUnavailable : Event::kApplied);
}

void Loop(machine::Host& host, const SettingsReader& read, const LoopOptions& options) {
  LogEvent(host, Event::kServiceStarted, Severity::kInfo, "reconciling began");
  LastReport last;
  std::int64_t busy_rounds = 0;
  bool go_on = true;
  while (go_on) {
    if (options.should_skip && options.should_skip()) {
      go_on = EndRound(host, options);
      continue;
    }
    const Result<std::optional<RoundReport>> ran = RunRound(host, read, options.approver, options.by);
    if (ran && !*ran) break;
    const bool busy = !ran && ran.error().code == Code::kLock;
    if (busy) {
      if (++busy_rounds % kBusyInADay == kLongBusy) ReportFailure(host, ran.error(), options);
      go_on = host.clock().Wait(kBusyWait);  // a change of the source would not help
      continue;
    }
    busy_rounds = 0;
    ReportRound(host, ran ? Result<RoundReport>(**ran) : std::unexpected(ran.error()), options, last);
    go_on = EndRound(host, options);
  }
  LogEvent(host, Event::kServiceStopped, Severity::kInfo, "reconciling ended");
}

}  // namespace prov::node
