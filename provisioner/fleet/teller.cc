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
  NodeState same = *told_;
  same.read_at = now.read_at;
  if (StateText(same) != StateText(now)) return true;
  const std::int64_t time = ports_.clock.NowUnix();
  return now.read_at != told_->read_at && (time - told_at_ >= kHeartbeatSeconds || time < told_at_);
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

Result<bool> Teller::TellNow(const NodeState& now) {
  const source::KubeAccess access = PROV_TRY(open_());
  source::KubeClient client(access, ports_, random_);
  PROV_TRY(ReadTold(client));
  if (!IsNews(now)) return false;
  PROV_TRY(client.Patch(source::NodeObject(node_), StatePatch(now)));
  const std::optional<NodeState> before = std::exchange(told_, now);
  told_at_ = ports_.clock.NowUnix();
  for (const NodeEvent& event : EventsBetween(before, now)) {
    if (!budget_.Take(told_at_)) break;
    PROV_TRY(client.Create(source::NodeEvents(), EventObject(event, node_, told_at_)));
  }
  return true;
}

Result<bool> Teller::Tell(const NodeState& now) {
  if (knows_told_ && !IsNews(now)) return false;
  const std::int64_t time = ports_.clock.NowUnix();
  if (time < not_before_ && not_before_ - time <= kLongestPauseMs / 1000) return false;
  Result<bool> out = TellNow(now);
  if (out) {
    backoff_.Reset();
    not_before_ = 0;
  } else {
    not_before_ = ports_.clock.NowUnix() + backoff_.Next() / 1000;
  }
  return out;
}

}  // namespace prov::fleet
