// Which nodes of a rollout get new settings next. A pure function of what the cluster says, so that a coordinator that
// was killed and runs again goes on from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/fleet/node_state.h"

namespace prov::fleet {

// How many nodes a wave has: a number, or a part of all nodes, of at least one.
struct WaveSize {
  std::size_t number = 0;  // of nodes, or percent of them
  bool is_percent = false;

  std::size_t Of(std::size_t nodes) const;

  bool operator==(const WaveSize&) const = default;
};

struct RolloutOrder {
  std::string digest;        // of the new settings
  std::string previous;      // of the last confirmed settings
  std::int64_t attempt = 1;  // counts the rollouts, so that nodes try again what they took back
  std::size_t canaries = 1;
  WaveSize wave = {.number = 10, .is_percent = true};
  std::int64_t soak_seconds = 0;     // how long all nodes of a wave are confirmed before the next one
  std::int64_t timeout_seconds = 0;  // for the nodes of a wave to confirm
  std::size_t most_unreachable = 0;  // nodes out of reach that later waves do not wait for; for canaries all count
  bool takes_back = false;           // after a failure, also from nodes that have confirmed
  std::int64_t trial_seconds = 300;  // how long a node's trial takes at most, as in the approval

  bool operator==(const RolloutOrder&) const = default;
};

enum class RolloutPhase {
  kOpen,
  kHeld,        // by a person
  kTakingBack,  // failed; approvals that were not used are withdrawn, and nodes may have to return
  kFailed,
  kDone
};

// What the cluster keeps of a rollout.
struct RolloutProgress {
  RolloutPhase phase = RolloutPhase::kOpen;
  std::size_t wave = 0;                              // the number of the newest wave; 1: the canaries; 0: none yet
  std::vector<std::string> members;                  // of the newest wave, by name
  std::int64_t wave_since = 0;                       // Unix time by the coordinator's clock: of the present waiting
  std::optional<std::int64_t> confirmed_since = {};  // all that are waited for are confirmed since then
  std::string reason = {};                           // why it failed; "": it has not
  std::vector<std::string> failed = {};              // names of the nodes for which it failed

  bool operator==(const RolloutProgress&) const = default;
};

// A Windows node as the API server shows it.
struct RolloutNode {
  std::string name;
  std::string zone;                     // topology.kubernetes.io/zone
  bool canary = false;                  // chosen by a label
  bool reachable = true;                // its condition Ready is True
  std::optional<NodeState> state;       // nullopt: none, or a damaged one
  std::optional<std::string> approved;  // digest
  std::int64_t approved_attempt = 0;    // that of the approval; 0: none, or a damaged one
};

enum class RolloutStanding {
  kApart,        // takes settings without approval, says nothing, or is held by a rollback of its own
  kWaiting,      // has other settings, and no approval of this attempt
  kApproved,     // has not confirmed yet
  kConfirmed,    // has the new settings
  kTookBack,     // tried them in this attempt and took them back
  kUnreachable,  // approved, and not reachable
};
RolloutStanding StandingOf(const RolloutNode& node, const RolloutOrder& order);
// "a, b and 3 more".
std::string NamesInShort(std::span<const std::string> names);
std::string_view NameOf(RolloutStanding standing);  // "waiting", "tookBack", ...
std::string_view NameOf(RolloutPhase phase);        // "open", "takingBack", ...

// What to write next, in this order: the progress if it differs; then the approvals. A coordinator that is killed
// between the two makes the same step again.
struct RolloutStep {
  RolloutProgress progress;
  std::vector<std::string> approve;    // names of nodes: for the new settings
  std::vector<std::string> take_back;  // names of nodes: for the previous settings
  std::vector<std::string> withdraw;   // names of nodes: for nothing
};

// `now`: Unix time. A wave begins only when each member of the wave before it is confirmed, and has been for the time
// to soak. From the second wave on, members that are gone or silent count as out of reach, and as many as the order
// says may be; one member at least is confirmed. Only nodes that have read the new settings are approved. Labelled
// nodes are the canaries, whatever their standing. Other nodes that stand apart, and were no members, are left out.
RolloutStep NextStep(const RolloutOrder& order, const RolloutProgress& progress, std::span<const RolloutNode> nodes,
                     std::int64_t now);

}  // namespace prov::fleet
