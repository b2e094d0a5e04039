#include "provisioner/controller/controller.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "provisioner/fleet/rollout_choices.h"
#include "provisioner/source/kube_follow.h"
#include "provisioner/source/kube_uri.h"

namespace prov::controller {
namespace {

constexpr int kMostRaces = 5;
constexpr std::int64_t kFirstPause = 5, kLongestPause = 60;  // seconds, after a failure
constexpr std::int64_t kLongestTruce = 30;                   // the same, after races that others won
constexpr std::int64_t kPeace = 2 * kLongestTruce;           // after so long the first race is the first again
constexpr std::int64_t kFirstTruceMs = 200, kLongestTruceMs = 5000;
constexpr int kReleaseSeconds = 5;
constexpr std::int64_t kWatchMs = 300'000;    // how long one wait for a change takes at most
constexpr std::int64_t kLookMs = 100;         // how often the loop looks whether there is one
constexpr std::int64_t kRolloutMs = 1000;     // the same for rollouts
constexpr std::int64_t kRolloutSeconds = 30;  // until it looks without one: a watch does not show what a person resumed

// Between the threads: whether something has changed, and what they report.
class Changes {
 public:
  explicit Changes(const ControllerReports& reports) : reports_(reports) {}

  void Note() { changed_ = changed_for_rollouts_ = true; }
  bool Take() { return changed_.exchange(false); }
  bool Is() const { return changed_; }
  bool TakeForRollouts() { return changed_for_rollouts_.exchange(false); }
  // Whether this process is the one of several that writes.
  void SetLeads(bool leads) { leads_ = leads; }
  bool Leads() const { return leads_; }
  void Report(const RolloutView& view) {
    const std::scoped_lock lock(mutex_);
    if (reports_.on_rollout) reports_.on_rollout(view);
  }
  void ReportRollout(const Error& error) {
    const std::scoped_lock lock(mutex_);
    if (reports_.on_rollout_error) reports_.on_rollout_error(error);
  }
  void Report(const Error& error) {
    const std::scoped_lock lock(mutex_);
    if (reports_.on_error) reports_.on_error(error);
  }
  void Report(const KeepOrder& of, const KeepRound& round) {
    const std::scoped_lock lock(mutex_);
    if (reports_.on_round) reports_.on_round(of, round);
  }

 private:
  std::atomic<bool> changed_ = true, changed_for_rollouts_ = true, leads_ = false;
  const ControllerReports& reports_;
  std::mutex mutex_;
};

// Each of the two waits for changes of one object until this program is asked to stop.
void WatchSource(const source::SourceRequest& source, const source::SourcePorts& ports, Changes& changes) {
  source::KubeFollower follower(ports, [&](const Error& error) { changes.Report(error); });
  do {
    const bool unchanged = follower.IsCurrent();
    follower.Follow(source);
    // Only now: a round that began earlier may have missed what came before the watch.
    if (!unchanged) changes.Note();
  } while (follower.Wait(kWatchMs));
}

void WatchObject(const ControllerOrder& order, const source::KubeObject& object, const source::SourcePorts& ports,
                 Changes& changes) {
  source::KubeFollower follower(ports, [&](const Error& error) { changes.Report(error); });
  do {
    const bool unchanged = follower.IsCurrent();
    auto access = OpenCluster(order);  // a round reports why it can't be opened
    if (access) follower.FollowObject(*std::move(access), object);
    if (!unchanged) changes.Note();
  } while (follower.Wait(kWatchMs));
}

// A rollout takes hours, and rounds go on meanwhile.
void RunRollouts(const ControllerOrder& order, const source::SourcePorts& ports, Changes& changes) {
  RolloutKeeper keeper(*order.rollouts, ports, [&](const RolloutView& view) { changes.Report(view); });
  std::int64_t next = 0;
  bool is_due = true, source_changed = true;
  do {
    const std::int64_t now = ports.clock.NowUnix();
    if (changes.TakeForRollouts()) source_changed = is_due = true;
    if (now >= next || next - now > kRolloutSeconds) is_due = true;
    if (!changes.Leads() || !std::exchange(is_due, false)) continue;
    const auto access = OpenCluster(order);
    const auto changed = [&] { return std::exchange(source_changed, false) || changes.TakeForRollouts(); };
    const Result<void> looked = access ? keeper.Look(*access, changed) : Result<void>(std::unexpected(access.error()));
    next = ports.clock.NowUnix() + kRolloutSeconds;
    if (!looked && looked.error().code != Code::kInterrupted) changes.ReportRollout(looked.error());
  } while (ports.clock.Wait(kRolloutMs));
}

Result<KeepRound> KeepRoundOf(ObjectKeeper& keeper, const source::KubeAccess& access,
                              const source::SourcePorts& ports) {
  source::KubeClient client(access, ports);
  return keeper.Keep(client);
}

std::vector<ObjectKeeper> KeepersOf(const ControllerOrder& order, const source::SourcePorts& ports) {
  std::vector<ObjectKeeper> out;
  out.reserve(order.kept.size());
  for (const Kept& one : order.kept) out.emplace_back(one.order, one.bake, ports.clock);
  return out;
}

// Until no other has written the object between its reading and its writing.
Result<KeepRound> KeepPersistently(ObjectKeeper& keeper, const source::KubeAccess& access,
                                   const source::SourcePorts& ports) {
  source::KubeBackoff pauses(kFirstTruceMs, kLongestTruceMs, source::KubeRandom);
  for (int i = 0; i < kMostRaces; ++i) {
    if (i > 0 && !ports.clock.Wait(pauses.Next()))
      return Fail(Code::kInterrupted, "this program was asked to stop", keeper.order().object.Path());
    KeepRound out = PROV_TRY(KeepRoundOf(keeper, access, ports));
    if (!out.lost_race) return out;
  }
  return Fail(Code::kNetwork, "others keep writing this object; find out who does (metadata.managedFields)",
              keeper.order().object.Path());
}

// When the next round of one object is due. A failure, or another program that writes the object, delays those of this
// object alone.
class Turn {
 public:
  void Want() { wanted_ = true; }
  bool IsDue(std::int64_t now) const {
    const bool truce = now < truce_end_ && truce_end_ - now <= kLongestTruce;  // else the clock was set back
    return !truce && (wanted_ || now >= next_round_);
  }
  void Begin() { wanted_ = false; }
  void End(std::int64_t now, bool failed, bool raced, std::int64_t interval) {
    pause_ = failed ? std::clamp(pause_ * 2, kFirstPause, kLongestPause) : 0;
    next_round_ = now + (failed ? pause_ : interval);
    truce_end_ = raced ? TruceEnd(now) : 0;
  }

 private:
  // The first time at once. Who keeps writing an object is not to be answered with as many rounds.
  std::int64_t TruceEnd(std::int64_t now) {
    if (now < raced_at_ || now - raced_at_ > kPeace) truce_ = 0;
    raced_at_ = now;
    return now + std::exchange(truce_, std::clamp(truce_ * 2, std::int64_t{1}, kLongestTruce));
  }

  bool wanted_ = true;
  std::int64_t next_round_ = 0, pause_ = 0;
  std::int64_t raced_at_ = 0;
  std::int64_t truce_ = 0, truce_end_ = 0;  // the next pause; no round before
};

class Loop {
 public:
  Loop(const ControllerOrder& order, const source::SourcePorts& ports, Changes& changes)
      : order_(order), ports_(ports), changes_(changes), keepers_(KeepersOf(order, ports)), turns_(keepers_.size()) {
    if (order.lease) leader_.emplace(*order.lease, order.identity, ports.clock);
    changes_.SetLeads(!leader_);
  }

  void Run() {
    do {
      if (Holds()) Rounds();
    } while (WaitForWork());
    if (!leader_) return;
    const auto access = OpenCluster(order_, kReleaseSeconds);
    if (!access) return;
    [[maybe_unused]] const auto released =
        leader_->Release(*access, ports_.http);  // otherwise the Lease ends by itself
  }

 private:
  std::int64_t Now() { return ports_.clock.NowUnix(); }
  void WantAll() { std::ranges::for_each(turns_, &Turn::Want); }

  bool Holds() {
    if (!leader_) return true;
    if (Now() < next_renewal_) return holds_;
    next_renewal_ = Now() + Leader::kRenewSeconds;
    const auto access = OpenCluster(order_);
    if (!access) {
      changes_.Report(access.error());
      return SetHolds(false);
    }
    source::KubeClient client(*access, ports_);
    const auto held = leader_->Hold(client);
    if (!held) changes_.Report(held.error());
    const bool now_held = held && *held;
    if (now_held && !holds_) WantAll();  // whatever happened meanwhile
    return SetHolds(now_held);
  }

  bool SetHolds(bool holds) {
    changes_.SetLeads(holds);
    return holds_ = holds;
  }

  void Rounds() {
    if (changes_.Take()) WantAll();
    for (std::size_t i = 0; i < keepers_.size(); ++i) {
      if (turns_[i].IsDue(Now())) Round(keepers_[i], turns_[i]);
    }
  }

  void Round(ObjectKeeper& keeper, Turn& turn) {
    turn.Begin();
    const auto access = OpenCluster(order_);
    const Result<KeepRound> round =
        access ? KeepRoundOf(keeper, *access, ports_) : Result<KeepRound>(std::unexpected(access.error()));
    const bool failed = !round || round->failure || round->machine_sets_failure;
    const bool lost = round && round->lost_race;
    turn.End(Now(), failed, lost || (round && round->overwritten), order_.interval_seconds);
    if (lost) turn.Want();
    if (failed && !ports_.clock.Wait(0)) return;  // asked to stop: what that broke off says nothing
    if (round) {
      changes_.Report(keeper.order(), *round);
    } else {
      changes_.Report(round.error());
    }
  }

  // Returns false when this program is asked to stop.
  bool WaitForWork() {
    while (ports_.clock.Wait(kLookMs)) {
      if (leader_ && Now() >= next_renewal_) return true;
      const auto is_due = [now = Now()](const Turn& turn) { return turn.IsDue(now); };
      if ((changes_.Is() || std::ranges::any_of(turns_, is_due)) && (!leader_ || holds_)) return true;
    }
    return false;
  }

  const ControllerOrder& order_;
  source::SourcePorts ports_;
  Changes& changes_;
  std::vector<ObjectKeeper> keepers_;
  std::vector<Turn> turns_;  // of each
  std::optional<Leader> leader_;
  bool holds_ = false;
  std::int64_t next_renewal_ = 0;
};

}  // namespace

Result<source::KubeAccess> OpenCluster(const ControllerOrder& order, std::optional<int> timeout_seconds) {
  source::SourceRequest request;
  static_cast<source::SourceSpec&>(request) = order.cluster;
  if (timeout_seconds) request.timeout_seconds = timeout_seconds;
  std::string context;
  if (source::IsKubeUri(request.source))
    context = PROV_TRY(source::ParseKubeUri(request.source, request.selection)).context;
  return source::KubeAccess::Open(request, context, source::ThisProcess());
}

Result<std::vector<KeepRound>> KeepOnce(const ControllerOrder& order, const source::SourcePorts& ports) {
  const source::KubeAccess access = PROV_TRY(OpenCluster(order));
  std::vector<KeepRound> out;
  out.reserve(order.kept.size());
  for (ObjectKeeper& keeper : KeepersOf(order, ports)) {
    auto round = KeepPersistently(keeper, access, ports);
    out.push_back(round ? *std::move(round) : KeepRound{.failure = std::move(round).error()});
  }
  return out;
}

void KeepOn(const ControllerOrder& order, const source::SourcePorts& ports, const ControllerReports& reports) {
  Changes changes(reports);
  std::vector<std::jthread> watches;
  watches.emplace_back([&] { WatchSource(order.source, ports, changes); });
  for (const Kept& one : order.kept) {
    watches.emplace_back([&] { WatchObject(order, one.order.object, ports, changes); });
    if (one.order.append_to) watches.emplace_back([&] { WatchObject(order, *one.order.append_to, ports, changes); });
  }
  // The same of all.
  if (const auto& confirmed = order.kept.front().order.confirmed)
    watches.emplace_back([&] { WatchObject(order, *confirmed, ports, changes); });
  const source::KubeObject wish =
      source::ConfigMapObject(order.rollouts ? order.rollouts->name_space : "", std::string(fleet::kRolloutConfigMap));
  if (order.rollouts) {
    watches.emplace_back([&] { WatchObject(order, wish, ports, changes); });
    watches.emplace_back([&] { RunRollouts(order, ports, changes); });
  }
  Loop(order, ports, changes).Run();
}

}  // namespace prov::controller
