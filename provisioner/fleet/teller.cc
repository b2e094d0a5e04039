#include "provisioner/fleet/teller.h"

#include <utility>

#include "provisioner/fleet/nodes.h"

namespace prov::fleet {

Teller::Teller(std::string node, source::SourcePorts ports, std::function<Result<source::KubeAccess>()> open,
               source::KubeBackoff::Random random)
    : node_(std::move(node)),
      ports_(ports),
      open_(std::move(open)),
      random_(random),
      backoff_(kFirstPauseMs, kLongestPauseMs, std::move(random)) {}

bool Teller::IsNews(const NodeState& now) const {
  if (!told_) return true;
  const std::int64_t age = ports_.clock.NowUnix() - told_at_;
  const auto is_over = [age](std::int64_t seconds) { return age >= seconds || age < 0; };  // or the clock was set back
  NodeState same = *told_;
  same.read_at = now.read_at;
  if (StateText(same) == StateText(now)) return now.read_at != told_->read_at && is_over(kHeartbeatSeconds);
  // A server that fails in the same way may have other words for it each time.
  if (same.failure && now.failure && same.failure->code == now.failure->code) same.failure = now.failure;
  return StateText(same) != StateText(now) || is_over(kWordsSeconds);
}

Result<void> Teller::ReadTold(source::KubeClient& client) {
  if (knows_told_) return {};
  FleetNode known = PROV_TRY(ReadNode(client, node_));
  told_ = std::move(known.state);
  // When that was told is not known: with the time of reading it will be told within the hour.
  told_at_ = told_ && told_->read_at ? *told_->read_at : 0;
  knows_told_ = true;
  return {};
}

Result<void> Teller::SendEvents(source::KubeClient& client, const std::optional<NodeState>& before,
                                const NodeState& now) {
  for (const NodeEvent& event : EventsBetween(before, now)) {
    if (!budget_.Take(told_at_)) break;
    PROV_TRY(client.Create(source::NodeEvents(), EventObject(event, node_, told_at_)));
  }
  return {};
}

Result<bool> Teller::TellNow(const NodeState& now, Result<void>& events) {
  const source::KubeAccess access = PROV_TRY(open_());
  source::KubeClient client(access, ports_, random_);
  PROV_TRY(ReadTold(client));
  if (!IsNews(now)) return false;
  PROV_TRY(client.Patch(source::NodeObject(node_), StatePatch(now)));
  const std::optional<NodeState> before = std::exchange(told_, now);
  told_at_ = ports_.clock.NowUnix();
  events = SendEvents(client, before, now);
  return true;
}

Result<bool> Teller::Tell(const NodeState& now) {
  if (knows_told_ && !IsNews(now)) return false;
  const std::int64_t time = ports_.clock.NowUnix();
  if (time < not_before_ && not_before_ - time <= kLongestPauseMs / 1000) return false;
  Result<void> events;
  Result<bool> out = TellNow(now, events);
  if (!out) {
    not_before_ = ports_.clock.NowUnix() + backoff_.Next() / 1000;
    return out;
  }
  backoff_.Reset();
  not_before_ = 0;
  if (!events) return std::unexpected(std::move(events).error());
  return out;
}

}  // namespace prov::fleet
