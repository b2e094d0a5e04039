#include "provisioner/fleet/rollout_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace prov::fleet {
namespace {

constexpr std::size_t kMostNamed = 5;

std::vector<std::string> NamesOf(std::span<const RolloutNode* const> nodes) {
  std::vector<std::string> out;
  out.reserve(nodes.size());
  for (const RolloutNode* node : nodes) out.push_back(node->name);
  return out;
}

// One zone after the other, so that no wave has all nodes of one. Canaries that a label chose come first.
std::vector<const RolloutNode*> InOrder(std::vector<const RolloutNode*> nodes) {
  std::ranges::sort(nodes, {}, &RolloutNode::name);
  std::map<std::string_view, std::size_t> in_zone;
  std::map<const RolloutNode*, std::size_t> turn;
  for (const RolloutNode* node : nodes) turn[node] = node->canary ? 0 : ++in_zone[node->zone];
  std::ranges::sort(nodes, [&](const RolloutNode* a, const RolloutNode* b) {
    const auto key = [&](const RolloutNode* node) {
      return std::tuple(!node->canary, turn.at(node), std::string_view(node->zone), std::string_view(node->name));
    };
    return key(a) < key(b);
  });
  return nodes;
}

class Planner {
 public:
  Planner(const RolloutOrder& order, const RolloutProgress& progress, std::span<const RolloutNode> nodes,
          std::int64_t now)
      : order_(order), now_(now), out_{progress, {}, {}, {}}, nodes_(nodes) {
    for (const RolloutNode& node : nodes) {
      by_name_.emplace(node.name, &node);
      by_standing_[StandingOf(node, order)].push_back(&node);
    }
    count_ = nodes.size() - With(RolloutStanding::kApart).size();
  }

  RolloutStep Next() && {
    switch (out_.progress.phase) {
      case RolloutPhase::kOpen:
        GoOn();
        break;
      case RolloutPhase::kTakingBack:
        TakeBack();
        break;
      case RolloutPhase::kHeld:
      case RolloutPhase::kFailed:
      case RolloutPhase::kDone:
        break;
    }
    return std::move(out_);
  }

 private:
  using Nodes = std::vector<const RolloutNode*>;

  const Nodes& With(RolloutStanding standing) { return by_standing_[standing]; }

  void GoOn() {
    RolloutProgress& progress = out_.progress;
    // A clock that was set back must neither end the wave nor cut its time to soak.
    progress.wave_since = std::min(progress.wave_since, now_);
    if (progress.confirmed_since && *progress.confirmed_since > now_) progress.confirmed_since = now_;
    if (const Nodes& back = With(RolloutStanding::kTookBack); !back.empty()) {
      const std::string& said = back.front()->state->approval->trial->reason;
      return Fail(
          fmt::format("{} took the settings back{}{}", NamesInShort(NamesOf(back)), said.empty() ? "" : ": ", said),
          NamesOf(back));
    }
    Nodes missing = MembersWithoutApproval();
    if (!missing.empty()) {
      WaitAnew();
      out_.approve = NamesOf(missing);
      return FailIfLate();
    }
    if (!IsProven()) {
      WaitAnew();
      return FailIfLate();
    }
    if (!progress.confirmed_since) progress.confirmed_since = now_;
    if (progress.wave != 0 && now_ - *progress.confirmed_since < order_.soak_seconds) return;
    BeginWave();
  }

  // What was well until now has as long as a wave has.
  void WaitAnew() {
    if (out_.progress.confirmed_since && out_.progress.wave != 0) out_.progress.wave_since = now_;
    out_.progress.confirmed_since.reset();
  }

  void FailIfLate() {
    if (now_ - out_.progress.wave_since <= order_.timeout_seconds) return;
    std::vector<std::string> late = NamesOf(With(RolloutStanding::kApproved));
    std::ranges::copy(NamesOf(MembersWithoutApproval()), std::back_inserter(late));
    std::vector<std::string> gone = NamesOf(With(RolloutStanding::kUnreachable));
    std::ranges::copy(SilentMembers(), std::back_inserter(gone));
    std::string why;
    if (!late.empty())
      why =
          fmt::format("{} did not confirm the settings within {} seconds", NamesInShort(late), order_.timeout_seconds);
    if (!gone.empty()) {
      why += fmt::format("{}{} can't be reached since the settings were approved", why.empty() ? "" : "; ",
                         NamesInShort(gone));
    }
    std::ranges::move(gone, std::back_inserter(late));
    Fail(std::move(why), std::move(late));
  }

  // Of the newest wave: a coordinator that was killed has not approved them all.
  Nodes MembersWithoutApproval() {
    Nodes out;
    for (const RolloutNode* node : With(RolloutStanding::kWaiting)) {
      if (IsMember(node->name)) out.push_back(node);
    }
    return out;
  }

  bool IsMember(const std::string& name) const {
    return std::ranges::find(out_.progress.members, name) != out_.progress.members.end();
  }

  // nullopt: there is no such node.
  std::optional<RolloutStanding> StandingOfMember(const std::string& name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return std::nullopt;
    return StandingOf(*found->second, order_);
  }

  // Members that are gone, or tell nothing that counts. A canary that had the settings before may be without approval.
  std::vector<std::string> SilentMembers() const {
    std::vector<std::string> out;
    std::ranges::copy_if(out_.progress.members, std::back_inserter(out), [&](const std::string& name) {
      const auto standing = StandingOfMember(name);
      if (!standing || *standing == RolloutStanding::kApart) return true;
      return *standing == RolloutStanding::kConfirmed && !by_name_.at(name)->reachable;
    });
    return out;
  }

  // Whether nothing of the waves so far is waited for.
  bool IsProven() {
    if (!With(RolloutStanding::kApproved).empty()) return false;
    const std::vector<std::string>& members = out_.progress.members;
    const auto confirmed = std::ranges::count_if(members, [&](const std::string& name) {
      return StandingOfMember(name) == RolloutStanding::kConfirmed && by_name_.at(name)->reachable;
    });
    if (out_.progress.wave == 1 && static_cast<std::size_t>(confirmed) < members.size()) return false;
    const bool widens = !Ready(With(RolloutStanding::kWaiting)).empty();
    if (out_.progress.wave > 1 && confirmed == 0 && widens) return false;
    return With(RolloutStanding::kUnreachable).size() + SilentMembers().size() <= order_.most_unreachable;
  }

  void BeginWave() {
    RolloutProgress& progress = out_.progress;
    const Nodes waiting = With(RolloutStanding::kWaiting);
    Nodes next = InOrder(Ready(waiting));
    if (progress.wave == 0) {
      if (waiting.empty() && !With(RolloutStanding::kConfirmed).empty()) return EndWell({});
      next = Canaries(std::move(next));
      if (next.empty()) return WaitForCanaries(waiting);
    } else if (next.empty()) {
      return EndIfEnough(waiting);
    } else {
      next.resize(std::min(order_.wave.Of(count_), next.size()));
    }
    ++progress.wave;
    progress.members = NamesOf(next);
    progress.wave_since = now_;
    progress.confirmed_since.reset();
    std::erase_if(next,
                  [&](const RolloutNode* node) { return StandingOf(*node, order_) != RolloutStanding::kWaiting; });
    out_.approve = NamesOf(next);
  }

  Nodes Ready(const Nodes& waiting) const {
    Nodes out;
    std::ranges::copy_if(waiting, std::back_inserter(out), [&](const RolloutNode* node) { return IsReady(*node); });
    return out;
  }
  // One that waits can be reached and has read the settings.
  bool IsReady(const RolloutNode& node) const {
    return node.reachable && node.state->approval->pending == order_.digest;
  }
  // One with the settings has passed.
  bool IsReadyCanary(const RolloutNode& node) const {
    switch (StandingOf(node, order_)) {
      case RolloutStanding::kWaiting:
        return IsReady(node);
      case RolloutStanding::kConfirmed:
        return node.reachable;
      case RolloutStanding::kApart:
      case RolloutStanding::kApproved:
      case RolloutStanding::kTookBack:
      case RolloutStanding::kUnreachable:
        break;
    }
    return false;
  }

  // Also those that say nothing or stand apart.
  Nodes Labelled() const {
    Nodes out;
    for (const RolloutNode& node : nodes_) {
      if (node.canary) out.push_back(&node);
    }
    return InOrder(std::move(out));
  }

  // Where nodes have the label, these and no others. Empty: they are not ready.
  Nodes Canaries(Nodes ready) const {
    Nodes labelled = Labelled();
    if (!labelled.empty()) {
      const bool all = std::ranges::all_of(labelled, [&](const RolloutNode* node) { return IsReadyCanary(*node); });
      return all ? labelled : Nodes();
    }
    ready.resize(std::min(std::max<std::size_t>(order_.canaries, 1), ready.size()));
    return ready;
  }

  void WaitForCanaries(const Nodes& waiting) {
    if (now_ - out_.progress.wave_since <= order_.timeout_seconds) return;
    Nodes canaries = Labelled();
    if (canaries.empty()) canaries = waiting;
    if (canaries.empty()) return Fail("no node takes part any more", {});
    std::erase_if(canaries, [&](const RolloutNode* node) { return IsReadyCanary(*node); });
    std::string why = fmt::format("{} can't try the settings: they are not ready, or have not read them",
                                  NamesInShort(NamesOf(canaries)));
    for (const RolloutNode* node : canaries) {
      const std::string more = WhyNoCanary(*node);
      if (more.empty()) continue;
      why += fmt::format(" ({} {})", node->name, more);
      break;
    }
    Fail(std::move(why), NamesOf(canaries));
  }

  // Of one that is not ready; "": nothing more is known.
  std::string WhyNoCanary(const RolloutNode& node) const {
    if (!node.state) return "reports nothing that can be read";
    if (!node.state->approval) return "does not wait for approval";
    if (StandingOf(node, order_) == RolloutStanding::kApart) return "is held by a rollback";
    const auto& pending = node.state->approval->pending;
    if (!node.reachable || !pending || *pending == order_.digest) return "";
    return fmt::format("waits for {:.12}; is the rollout's source that of the nodes?", *pending);
  }

  // What is left is out of reach, or has not read the settings. These are proven now, so it gets them when it returns,
  // if it is less than what proves them.
  void EndIfEnough(const Nodes& left) {
    if (left.size() < With(RolloutStanding::kConfirmed).size()) return EndWell(left);
    if (now_ - *out_.progress.confirmed_since <= order_.timeout_seconds) return;
    Fail(fmt::format("{} nodes have the settings, and {} others can't be reached or have not read them",
                     With(RolloutStanding::kConfirmed).size(), left.size()),
         NamesOf(left));
  }

  void EndWell(const Nodes& left) {
    out_.approve = NamesOf(left);
    out_.progress.phase = RolloutPhase::kDone;
  }

  void Fail(std::string why, std::vector<std::string> names) {
    out_.approve.clear();
    out_.progress.reason = std::move(why);
    out_.progress.failed = std::move(names);
    out_.progress.phase = RolloutPhase::kTakingBack;
    out_.progress.wave_since = now_;
    TakeBack();
  }

  // An approval that was not used yet must not be used later. Where nodes are to return, all that were approved get the
  // previous settings approved, as one may just be trying the new ones, and are looked at until they are back.
  void TakeBack() {
    RolloutProgress& progress = out_.progress;
    progress.wave_since = std::min(progress.wave_since, now_);
    const bool return_all = order_.takes_back && !order_.previous.empty() && order_.previous != order_.digest;
    std::vector<std::string> waited_for;
    for (const RolloutNode& node : nodes_) {
      if (node.approved_attempt != order_.attempt || !node.approved) continue;
      if (*node.approved == order_.digest) {
        (return_all ? out_.take_back : out_.withdraw).push_back(node.name);
      } else if (return_all && *node.approved == order_.previous) {
        if (IsBack(node)) {
          out_.withdraw.push_back(node.name);
        } else {
          waited_for.push_back(node.name);
        }
      }
    }
    if (!out_.take_back.empty() || !out_.withdraw.empty()) return;
    if (!waited_for.empty() && now_ - progress.wave_since <= order_.timeout_seconds) return;
    if (!waited_for.empty()) {
      progress.reason += fmt::format("; {} did not return to the former settings", NamesInShort(waited_for));
    }
    progress.phase = RolloutPhase::kFailed;
  }

  // Whether a node that is to return has the previous settings for good. Without a word about its trial it may just be
  // trying the new ones, until their time is over.
  bool IsBack(const RolloutNode& node) const {
    constexpr std::int64_t kSlack = 60;  // seconds
    if (!node.state || node.state->digest != order_.previous || node.state->held) return false;
    const auto& trial = node.state->approval ? node.state->approval->trial : std::nullopt;
    const bool is_told =
        trial && (trial->attempt == order_.attempt || trial->attempt == 0) && trial->result != TrialResult::kRunning;
    return is_told || now_ - out_.progress.wave_since > order_.trial_seconds + kSlack;
  }

  const RolloutOrder& order_;
  std::int64_t now_;
  std::map<std::string_view, const RolloutNode*> by_name_;
  std::map<RolloutStanding, Nodes> by_standing_;
  std::size_t count_ = 0;  // of the nodes that take part
  RolloutStep out_;
  std::span<const RolloutNode> nodes_;
};

}  // namespace

std::size_t WaveSize::Of(std::size_t nodes) const {
  constexpr std::size_t kPercent = 100;
  const std::size_t size = is_percent ? (nodes * std::min(number, kPercent) + kPercent - 1) / kPercent : number;
  return std::max<std::size_t>(size, 1);
}

RolloutStanding StandingOf(const RolloutNode& node, const RolloutOrder& order) {
  const std::string_view digest = order.digest;
  if (!node.state || !node.state->approval) return RolloutStanding::kApart;
  const std::optional<NodeTrial>& trial = node.state->approval->trial;
  const bool is_approved = node.approved == digest && node.approved_attempt == order.attempt;
  // A node that tells no attempt speaks of the one that it was approved for.
  const bool is_of_this =
      trial && trial->digest == digest && (trial->attempt == order.attempt || (trial->attempt == 0 && is_approved));
  if (is_of_this && trial->result == TrialResult::kTakenBack) return RolloutStanding::kTookBack;
  const bool has_it = node.state->digest == digest && !node.state->held;
  if (is_approved && !node.reachable) return RolloutStanding::kUnreachable;
  if (has_it) return RolloutStanding::kConfirmed;
  if (is_approved) return RolloutStanding::kApproved;
  const bool runs = trial && trial->result == TrialResult::kRunning;
  return node.state->held && !runs ? RolloutStanding::kApart : RolloutStanding::kWaiting;
}

std::string NamesInShort(std::span<const std::string> names) {
  const std::span<const std::string> shown = names.first(std::min(names.size(), kMostNamed));
  std::string out = fmt::format("{}", fmt::join(shown, ", "));
  if (names.size() > kMostNamed) out += fmt::format(" and {} more", names.size() - kMostNamed);
  return out;
}

std::string_view NameOf(RolloutStanding standing) {
  switch (standing) {
    case RolloutStanding::kApart:
      return "apart";
    case RolloutStanding::kWaiting:
      return "waiting";
    case RolloutStanding::kApproved:
      return "approved";
    case RolloutStanding::kConfirmed:
      return "confirmed";
    case RolloutStanding::kTookBack:
      return "tookBack";
    case RolloutStanding::kUnreachable:
      return "unreachable";
  }
  return "";
}

std::string_view NameOf(RolloutPhase phase) {
  switch (phase) {
    case RolloutPhase::kOpen:
      return "open";
    case RolloutPhase::kHeld:
      return "held";
    case RolloutPhase::kTakingBack:
      return "takingBack";
    case RolloutPhase::kFailed:
      return "failed";
    case RolloutPhase::kDone:
      return "done";
  }
  return "";
}

RolloutStep NextStep(const RolloutOrder& order, const RolloutProgress& progress, std::span<const RolloutNode> nodes,
                     std::int64_t now) {
  return Planner(order, progress, nodes, now).Next();
}

}  // namespace prov::fleet
