// Reports this node's state to its cluster: writes the annotation of its Node object, and Events about changes.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "provisioner/fleet/node_event.h"
#include "provisioner/fleet/node_state.h"
#include "provisioner/source/kube_client.h"

namespace prov::fleet {

// The API server sends each write of the annotation to every client that watches nodes. So it is written only if
// something other than the time of reading differs, and otherwise once an hour. If only the text of a failure differs,
// it is written once in ten minutes. Failures are retried after a pause that grows to half an hour.
class StateReporter {
 public:
  // `open` opens the cluster for each call. `node`: the name of this machine's Node object.
  StateReporter(std::string node, source::SourcePorts ports, std::function<Result<source::KubeAccess>()> open,
                source::KubeBackoff::Random random = source::KubeRandom);

  // Call it after each round. If this process does not know what was reported, it reads that from the cluster first, so
  // that a restarted process does not write again. Returns whether anything was written. Events are best effort: a lost
  // one is not reported again, and a refused one does not delay the annotation. Errors: those of KubeClient.
  Result<bool> Report(const NodeState& now);

  static constexpr std::int64_t kHeartbeatSeconds = 3600;
  static constexpr std::int64_t kWordsSeconds = 600;
  static constexpr std::int64_t kFirstPause = 15;      // seconds
  static constexpr std::int64_t kLongestPause = 1800;  // the same

 private:
  Result<bool> ReportNow(const NodeState& now, Result<void>& events);
  Result<void> SendEvents(source::KubeClient& client, const std::optional<NodeState>& before, const NodeState& now);
  Result<void> ReadReported(source::KubeClient& client);
  bool IsNews(const NodeState& now) const;
  bool IsPaused() const;

  std::string node_;
  source::SourcePorts ports_;
  std::function<Result<source::KubeAccess>()> open_;
  source::KubeBackoff::Random random_;
  std::int64_t pause_seconds_ = 0;  // the length of the last pause, before it was varied; 0: none
  std::int64_t pause_end_ = 0;      // Unix time
  bool knows_reported_ = false;
  std::optional<NodeState> reported_;
  std::int64_t reported_at_ = 0;
  EventBudget budget_;
};

}  // namespace prov::fleet
