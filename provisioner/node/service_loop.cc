#include "provisioner/node/service_loop.h"

#include <fmt/format.h>

#include <utility>

#include "provisioner/node/events.h"

namespace prov::node {
namespace {

using machine::Event;

constexpr std::int64_t kMillisecondsPerSecond = 1000;
constexpr std::int64_t kBusyWait = 5 * kMillisecondsPerSecond;
constexpr std::int64_t kDay = 86400;
constexpr std::size_t kMostCauses = 16;

// What tells one state of affairs from another: the same one is told once.
std::string NewsOf(const Result<RoundReport>& round) {
  if (!round) return fmt::format("{} {}", round.error().message, round.error().where);
  std::string out = round->source_error ? round->source_error->message : "";
  for (const Finding& f : round->session.findings) out += fmt::format("|{}|{}", f.code, f.where);
  return out + (round->held ? "|held" : "");
}

}  // namespace

void WatchLog::Write(const Error& error) {
  const std::int64_t now = host_.clock().NowUnix();
  if (known_.size() >= kMostCauses && !known_.contains(error.message)) known_.clear();
  const auto [known, is_new] = known_.try_emplace(error.message, now);
  if (!is_new && now - std::exchange(known->second, now) < kDay) return;
  LogEvent(host_, Event::kSourceUnavailable, Severity::kWarning,
           fmt::format("the source can't be watched ({}); it is read in each round all the same", error.message));
}

void LogRound(machine::Host& host, const RoundReport& report) {
  if (report.held) {
    LogEvent(host, Event::kHeld, Severity::kInfo,
             report.session.findings.empty() ? "held" : report.session.findings.back().message);
    return;
  }
  LogRun(host, report.session, report.source_error ? Event::kSourceUnavailable : Event::kApplied);
}

void Loop(machine::Host& host, const SettingsReader& read, std::int64_t interval_seconds,
          const std::function<void(const RoundReport&)>& told, const ChangeWaiter& wait) {
  LogEvent(host, Event::kServiceStarted, Severity::kInfo, "reconciling began");
  std::string known;
  bool first = true;
  bool go_on = true;
  while (go_on) {
    const Result<std::optional<RoundReport>> ran = RunRound(host, read);
    if (ran && !*ran) break;
    const Result<RoundReport> round = ran ? Result<RoundReport>(**ran) : std::unexpected(ran.error());
    const std::string news = NewsOf(round);
    const bool is_news = first || news != known;
    if (!round && is_news) LogFailure(host, round.error());
    if (round && (is_news || round->session.writes > 0)) {
      LogRound(host, *round);
      if (told) told(*round);
    }
    const bool busy = !round && round.error().code == Code::kLock;
    if (!busy) {
      known = news;
      first = false;
    }
    const std::int64_t pause = busy ? kBusyWait : interval_seconds * kMillisecondsPerSecond;
    // What keeps the machine busy is no matter of the source.
    go_on = wait && !busy ? wait(pause) : host.clock().Wait(pause);
  }
  LogEvent(host, Event::kServiceStopped, Severity::kInfo, "reconciling ended");
}

}  // namespace prov::node
