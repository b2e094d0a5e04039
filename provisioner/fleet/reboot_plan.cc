#include "provisioner/fleet/reboot_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/fleet/rollout_plan.h"

namespace prov::fleet {
namespace {

constexpr std::string_view kWaitsNoMore =
    "waits no more: its window has closed, a trial of settings runs, or no reboot is due";
constexpr std::string_view kReportsNothing =
    "reports no --reboot drain that can be read, so it is not known in which boot it is";

// What keeps the pods, in words.
std::string PodsInShort(const std::vector<DrainPod>& pods) {
  std::vector<std::string> out;
  out.reserve(pods.size());
  for (const DrainPod& pod : pods) {
    std::string_view why = pod.refused;
    if (why.empty()) why = "is still there";
    if (pod.ends) why = "still ends";
    out.push_back(fmt::format("{}/{} ({})", pod.name_space, pod.name, why));
  }
  return NamesInShort(out);
}

std::string BarePods(const std::vector<DrainPod>& pods) {
  std::vector<std::string> out;
  for (const DrainPod& pod : pods) {
    if (!pod.has_owner && !pod.ends) out.push_back(fmt::format("{}/{}", pod.name_space, pod.name));
  }
  return NamesInShort(out);
}

class RebootPlanner {
 public:
  RebootPlanner(const RebootOrder& order, const RebootProgress& progress, const DrainPods& pods, std::int64_t now)
      : order_(order), pods_(pods), now_(now) {
    out_.progress = progress;
  }

  RebootStep Next(std::span<const RebootNode> nodes, bool may_begin) && {
    for (const RebootNode& node : nodes) {
      if (Look(node)) ++in_turn_;
    }
    std::erase_if(out_.progress.since, [&](const auto& one) {
      const auto found = std::ranges::find(nodes, one.first, &RebootNode::name);
      return found == nodes.end() || !found->turn;
    });
    std::vector<std::string> next;
    for (const RebootNode& node : nodes) {
      if (MayBegin(node)) next.push_back(node.name);
    }
    const bool is_last = next.empty() || out_.progress.stops;
    out_.is_over = is_last && in_turn_ == stuck_;
    if (is_last || in_turn_ > 0 || may_begin) out_.progress.blocked_since.reset();
    if (is_last || in_turn_ > 0) return std::move(out_);
    if (!may_begin) {
      WaitForRollout();
      return std::move(out_);
    }
    next.resize(std::min(next.size(), std::max<std::size_t>(order_.wave, 1)));
    out_.begin = std::move(next);
    return std::move(out_);
  }

 private:
  // Whether it has a turn.
  bool Look(const RebootNode& node) {
    switch (StageOf(node)) {
      case RebootStage::kIdle:
      case RebootStage::kWaits:
        return false;
      case RebootStage::kUnknown:
        Stop(node,
             "the annotation of its turn is damaged; as an administrator of the cluster, uncordon the node if need be, "
             "and remove the annotation");
        ++stuck_;
        break;
      case RebootStage::kBack:
        if (const auto failed = out_.progress.failed.find(node.name); failed != out_.progress.failed.end())
          failed->second = fmt::format("came back after more than {} seconds", order_.timeout_seconds);
        out_.progress.done.insert(node.name);
        out_.end.push_back(node.name);
        break;
      case RebootStage::kDraining:
        Drain(node);
        break;
      case RebootStage::kRestarting:
        Restart(node);
        break;
    }
    return true;
  }

  void Drain(const RebootNode& node) {
    const bool is_late = IsLate(node, RebootStage::kDraining);
    if (!node.state || !node.state->drain) {
      if (is_late) GiveBack(node, std::string(kReportsNothing), true);
      return;
    }
    // It drains and restarts the node, and needs the cordon meanwhile.
    if (node.operator_asked) {
      if (is_late) GiveBack(node, "was left to the Windows Machine Config Operator, which has not restarted it", true);
      return;
    }
    if (!node.state->drain->waits) return GiveBack(node, std::string(kWaitsNoMore), false);
    if (!node.cordoned) return GiveBack(node, "was uncordoned by somebody else while it was drained", false);
    const auto found = pods_.find(node.name);
    if (found == pods_.end()) return;
    const std::vector<DrainPod>& left = found->second;
    if (left.empty()) return out_.approve.push_back(node.name);
    if (const std::string bare = BarePods(left); !order_.force && !bare.empty())
      return GiveBack(node, fmt::format("has pods that nothing makes again, which --force evicts: {}", bare), false);
    if (is_late) {
      return GiveBack(
          node, fmt::format("was not drained within {} seconds: {}", order_.timeout_seconds, PodsInShort(left)), true);
    }
    out_.evict.push_back(node.name);
  }

  void Restart(const RebootNode& node) {
    const bool is_late = IsLate(node, RebootStage::kRestarting);
    const std::optional<node::DrainWish> wish = node.state ? node.state->drain : std::nullopt;
    const bool may_still = wish && wish->boot == node.turn->boot && !wish->asked && !node.operator_asked;
    if (may_still && !wish->waits) return GiveBack(node, std::string(kWaitsNoMore), false);
    // Pods may have come, so it may not restart any more (OperatorReboot::Read).
    if (may_still && !node.cordoned)
      return GiveBack(node, "was uncordoned by somebody else before it restarted", false);
    if (!is_late) return;
    if (!wish && node.ready) return GiveBack(node, std::string(kReportsNothing), true);
    Stop(node, fmt::format("was drained, and did not come back within {} seconds; it stays cordoned",
                           order_.timeout_seconds));
    ++stuck_;
  }

  // Perhaps nobody runs it any more.
  void WaitForRollout() {
    auto& since = out_.progress.blocked_since;
    if (!since || *since > now_) since = now_;
    out_.progress.blocked = out_.is_over = now_ - *since > order_.timeout_seconds;
  }

  // Of those that can't take part now the run's end tells.
  bool MayBegin(const RebootNode& node) const {
    return StageOf(node) == RebootStage::kWaits && node.ready && !node.operator_asked &&
           node.approved != node.state->drain->boot && !out_.progress.done.contains(node.name) &&
           !out_.progress.failed.contains(node.name);
  }

  // A clock that was set back begins the time anew.
  bool IsLate(const RebootNode& node, RebootStage stage) {
    auto& since = out_.progress.since[node.name];
    if (since.first != stage || since.second > now_) since = {stage, now_};
    return now_ - since.second > order_.timeout_seconds;
  }

  void Stop(const RebootNode& node, std::string why) {
    out_.progress.failed[node.name] = std::move(why);
    out_.progress.stops = true;
  }

  void GiveBack(const RebootNode& node, std::string why, bool stops) {
    out_.progress.failed[node.name] = std::move(why);
    out_.progress.stops = out_.progress.stops || stops;
    out_.end.push_back(node.name);
  }

  const RebootOrder& order_;
  const DrainPods& pods_;
  std::int64_t now_;
  RebootStep out_;
  std::size_t in_turn_ = 0;
  std::size_t stuck_ = 0;  // of these, which nothing is done about
};

}  // namespace

RebootStage StageOf(const RebootNode& node) {
  if (node.turn_damaged) return RebootStage::kUnknown;
  const std::optional<node::DrainWish> wish = node.state ? node.state->drain : std::nullopt;
  if (!node.turn) return wish && wish->waits ? RebootStage::kWaits : RebootStage::kIdle;
  const bool is_another = wish && wish->boot != node.turn->boot;
  if (is_another) return node.ready ? RebootStage::kBack : RebootStage::kRestarting;
  return node.approved == node.turn->boot ? RebootStage::kRestarting : RebootStage::kDraining;
}

std::string_view NameOf(RebootStage stage) {
  switch (stage) {
    case RebootStage::kIdle:
      return "idle";
    case RebootStage::kWaits:
      return "waits";
    case RebootStage::kDraining:
      return "draining";
    case RebootStage::kRestarting:
      return "restarting";
    case RebootStage::kBack:
      return "back";
    case RebootStage::kUnknown:
      return "unknown";
  }
  return "";
}

RebootStep NextReboots(const RebootOrder& order, const RebootProgress& progress, std::span<const RebootNode> nodes,
                       const DrainPods& pods, bool may_begin, std::int64_t now) {
  return RebootPlanner(order, progress, pods, now).Next(nodes, may_begin);
}

}  // namespace prov::fleet
