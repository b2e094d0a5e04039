#include "provisioner/fleet/state_reporter.h"

#include <algorithm>
#include <utility>

#include "provisioner/fleet/nodes.h"

namespace prov::fleet {

StateReporter::StateReporter(std::string node, source::SourcePorts ports,
                             std::function<Result<source::KubeAccess>()> open, source::KubeBackoff::Random random,
                             PauseMemory memory)
    : node_(std::move(node)),
      ports_(ports),
      open_(std::move(open)),
      random_(std::move(random)),
      memory_(std::move(memory)) {}

bool StateReporter::IsPaused() {
  const std::int64_t time = ports_.clock.NowUnix();
  if (!knows_pause_ && memory_.load) {
    pause_ = memory_.load();
    pause_.seconds = std::clamp<std::int64_t>(pause_.seconds, 0, kLongestPause);
    // Shorten the pause: an administrator may have restarted the process after mending the cause.
    if (pause_.until - time <= kLongestPause) pause_.until = std::min(pause_.until, time + kLongestKept);
  }
  knows_pause_ = true;
  return time < pause_.until && pause_.until - time <= kLongestPause;  // a later end means that the clock was set back
}

void StateReporter::SetPause(const Pause& pause) {
  pause_ = pause;
  if (memory_.save) memory_.save(pause);
}

bool StateReporter::IsNews(const NodeState& now) const {
  if (!reported_) return true;
  const std::int64_t age = ports_.clock.NowUnix() - reported_at_;
  const auto is_over = [age](std::int64_t seconds) { return age >= seconds || age < 0; };  // or the clock was set back
  NodeState same = *reported_;
  same.read_at = now.read_at;
  if (StateText(same) == StateText(now)) return now.read_at != reported_->read_at && is_over(kHeartbeatSeconds);
  // A server may word the same failure differently each time.
  if (same.failure && now.failure && same.failure->code == now.failure->code) same.failure = now.failure;
  return StateText(same) != StateText(now) || is_over(kWordsSeconds);
}

Result<void> StateReporter::ReadReported(source::KubeClient& client) {
  if (knows_reported_) return {};
  FleetNode known = PROV_TRY(ReadNode(client, node_));
  reported_ = std::move(known.state);
  // The time of that report is unknown. Take the time of reading, so that the state is reported again within the hour.
  reported_at_ = reported_ && reported_->read_at ? *reported_->read_at : 0;
  knows_reported_ = true;
  return {};
}

Result<void> StateReporter::SendEvents(source::KubeClient& client, const std::optional<NodeState>& before,
                                       const NodeState& now) {
  for (const NodeEvent& event : EventsBetween(before, now)) {
    if (!budget_.Take(reported_at_)) break;
    PROV_TRY(client.Create(source::NodeEvents(), EventObject(event, node_, reported_at_)));
  }
  return {};
}

Result<bool> StateReporter::ReportNow(const NodeState& now, Result<void>& events) {
  const source::KubeAccess access = PROV_TRY(open_());
  source::KubeClient client(access, ports_, random_);
  PROV_TRY(ReadReported(client));
  if (!IsNews(now)) return false;
  PROV_TRY(client.Patch(source::NodeObject(node_), StatePatch(now)));
  const std::optional<NodeState> before = std::exchange(reported_, now);
  reported_at_ = ports_.clock.NowUnix();
  events = SendEvents(client, before, now);
  return true;
}

Result<bool> StateReporter::Report(const NodeState& now) {
  if (knows_reported_ && !IsNews(now)) return false;
  if (IsPaused()) return false;
  Result<void> events;
  Result<bool> out = ReportNow(now, events);
  if (!out) {
    const std::int64_t seconds = std::clamp(pause_.seconds * 2, kFirstPause, kLongestPause);
    const std::int64_t half = seconds / 2;
    const std::int64_t varied = half + static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(half + 1));
    SetPause({seconds, ports_.clock.NowUnix() + varied});
    return out;
  }
  if (pause_.seconds != 0) SetPause({});
  if (!events) return std::unexpected(std::move(events).error());
  return out;
}

}  // namespace prov::fleet
