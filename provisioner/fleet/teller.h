// Tells the cluster what this node has: writes the annotation of its Node object, and Events for what changed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "provisioner/fleet/node_event.h"
#include "provisioner/fleet/node_state.h"
#include "provisioner/source/kube_client.h"

namespace prov::fleet {

// The pause after failures in a row. Seconds before it was varied, 0: none; and the Unix time at which it is over.
struct Pause {
  std::int64_t seconds = 0, until = 0;
};
// Where it outlives the process; both may be empty.
struct PauseMemory {
  std::function<Pause()> load = {};
  std::function<void(const Pause&)> save = {};
};

// A write of the annotation is news for all who watch nodes. So it is written when something else than the time of
// reading differs, and otherwise once an hour; where only the words of a failure differ, once in ten minutes. Failures
// are tried again after a pause that grows to half an hour.
class Teller {
 public:
  // `open` gives the way into the cluster, anew for each time. `node`: the name of this machine's Node object.
  Teller(std::string node, source::SourcePorts ports, std::function<Result<source::KubeAccess>()> open,
         source::KubeBackoff::Random random = source::KubeRandom, PauseMemory memory = {});

  // After each round. What this process does not know to have been told is read from the cluster first, so that one
  // that starts anew writes nothing. True: something was written. Events are best effort: one that is lost is not told
  // again, and what is refused of them does not delay the annotation. Errors: those of KubeClient.
  Result<bool> Tell(const NodeState& now);

  static constexpr std::int64_t kHeartbeatSeconds = 3600;
  static constexpr std::int64_t kWordsSeconds = 600;
  static constexpr std::int64_t kFirstPause = 15;      // seconds
  static constexpr std::int64_t kLongestPause = 1800;  // the same
  static constexpr std::int64_t kLongestKept = 300;    // what is left of it after a new start

 private:
  Result<bool> TellNow(const NodeState& now, Result<void>& events);
  Result<void> SendEvents(source::KubeClient& client, const std::optional<NodeState>& before, const NodeState& now);
  Result<void> ReadTold(source::KubeClient& client);
  bool IsNews(const NodeState& now) const;
  bool IsPaused();
  void SetPause(const Pause& pause);

  std::string node_;
  source::SourcePorts ports_;
  std::function<Result<source::KubeAccess>()> open_;
  source::KubeBackoff::Random random_;
  PauseMemory memory_;
  bool knows_pause_ = false;
  Pause pause_;
  bool knows_told_ = false;
  std::optional<NodeState> told_;
  std::int64_t told_at_ = 0;
  EventBudget budget_;
};

}  // namespace prov::fleet
