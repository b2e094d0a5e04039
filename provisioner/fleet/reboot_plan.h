// Which nodes are drained and restarted next. A pure function of what the cluster says, so that a coordinator that was
// killed and runs again goes on from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/fleet/node_state.h"

namespace prov::fleet {

// That a coordinator has begun with a node: an annotation of its Node, written in one patch with the cordon.
struct RebootTurn {
  std::string boot;       // the one that is to end
  bool cordoned = false;  // by us; false: somebody else had done it, and it stays

  bool operator==(const RebootTurn&) const = default;
};

// A Windows node as the API server shows it.
struct RebootNode {
  std::string name;
  std::string version = {};             // resourceVersion: what is written names it
  bool ready = true;                    // its condition Ready is True
  bool cordoned = false;                // spec.unschedulable, whoever set it
  bool operator_asked = false;          // the Windows Machine Config Operator drains and restarts it
  std::optional<NodeState> state = {};  // nullopt: none, or a damaged one
  std::optional<RebootTurn> turn = {};
  bool turn_damaged = false;  // somebody changed that annotation
  std::string approved = {};  // the boot that may end; "": none
};

enum class RebootStage {
  kIdle,        // wants nothing
  kWaits,       // for its turn
  kDraining,    // in turn; its pods are to go
  kRestarting,  // approved; not back yet
  kBack,        // in turn, ready, and in another boot
  kUnknown,     // the annotation of its turn can't be read
};
RebootStage StageOf(const RebootNode& node);
std::string_view NameOf(RebootStage stage);  // "idle", "waits", "draining", "restarting", "back", "unknown"

// A pod that has to leave its node.
struct DrainPod {
  std::string name_space, name, uid;
  bool ends = false;         // it is being deleted
  bool has_owner = true;     // a controller makes another elsewhere
  std::string refused = {};  // the API server's words about its last eviction
};
using DrainPods = std::map<std::string, std::vector<DrainPod>>;  // by node

struct RebootOrder {
  std::size_t wave = 1;                 // nodes at a time
  std::int64_t timeout_seconds = 1800;  // for each node to be drained, and again to come back; for a rollout to go on
  bool force = false;                   // evicts pods without a controller, too
};

// What one run remembers. A new run gives each node that is in turn its whole time again.
struct RebootProgress {
  std::map<std::string, std::pair<RebootStage, std::int64_t>> since = {};  // Unix time, of those in turn
  std::set<std::string> done = {};                 // restarted in this run, so that none restarts again and again
  std::map<std::string, std::string> failed = {};  // why, by name
  bool stops = false;                              // no further node is begun
  // Unix time: no node could be begun since then, as settings are rolled out. Reset it when the rollout goes on.
  std::optional<std::int64_t> blocked_since = {};
  bool blocked = false;  // until the time was over
};

// What to write next. The outcome of each shows in the next step.
struct RebootStep {
  RebootProgress progress;
  std::vector<std::string> begin;    // names of nodes: to cordon and mark
  std::vector<std::string> evict;    // the same: their pods that don't end yet
  std::vector<std::string> approve;  // the same: to restart
  std::vector<std::string> end;      // the same: to give back
  bool is_over = false;
};

// `pods`: of each node that is draining, as listed after `nodes`. `may_begin`: false while settings are rolled out,
// which ends the run if it lasts longer than the order's time. At most `order.wave` nodes have a turn, and no node is
// begun before all that have one are done. A node is approved when no pod is left that has to go. One that is not
// drained in time is given back, and one that does not return in time stays as it is; after either no further node is
// begun. One with a pod that nothing makes again is given back, too.
RebootStep NextReboots(const RebootOrder& order, const RebootProgress& progress, std::span<const RebootNode> nodes,
                       const DrainPods& pods, bool may_begin, std::int64_t now);

}  // namespace prov::fleet
