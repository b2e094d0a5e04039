#include "provisioner/fleet/state_reporter.h"

#include <algorithm>
#include <utility>

#include "provisioner/fleet/nodes.h"

namespace prov::fleet {

StateReporter::StateReporter(std::string node, source::SourcePorts ports,
                             std::function<Result<source::KubeAccess>()> open, source::KubeBackoff::Random random)
    : node_(std::move(node)), ports_(ports), open_(std::move(open)), random_(std::move(random)) {}

bool StateReporter::IsPaused() const {
  const std::int64_t left = pause_end_ - ports_.clock.NowUnix();
  return left > 0 && left <= kLongestPause;  // more: the clock was set back
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
    PROV_TRY(client.Create(source::NodeEvents(), EventObject(event, {"Node", "", node_}, node_, reported_at_)));
  }
  return {};
}

Result<bool> StateReporter::ReportNow(const NodeState& now, Result<void>& events) {
  const source::KubeAccess access = PROV_TRY(open_());
  source::KubeClient client(access, ports_, random_);
  PROV_TRY(ReadReported(client));
  if (!IsNews(now)) return false;
  PROV_TRY(client.Patch(source::NodeObject(node_), AnnotationPatch(kStateAnnotation, StateText(now))));
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
    pause_seconds_ = std::clamp(pause_seconds_ * 2, kFirstPause, kLongestPause);
    const std::int64_t half = pause_seconds_ / 2;
    const std::int64_t varied = half + static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(half + 1));
    pause_end_ = ports_.clock.NowUnix() + varied;
    return out;
  }
  pause_seconds_ = pause_end_ = 0;
  if (!events) return std::unexpected(std::move(events).error());
  return out;
}

}  // namespace prov::fleet
