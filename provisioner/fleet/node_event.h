// Events of a node: what changed on it, for `kubectl describe node` and for event collectors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/fleet/node_state.h"

namespace prov::fleet {

struct NodeEvent {
  std::string reason;  // one word
  std::string message;
  bool is_warning = false;

  bool operator==(const NodeEvent&) const = default;
};

// The events worth reporting between two states. Without a state before (nullopt) there are none.
std::vector<NodeEvent> EventsBetween(const std::optional<NodeState>& before, const NodeState& now);

// The object that an event is about.
struct EventSubject {
  std::string kind;
  std::string name_space;  // "": cluster-scoped
  std::string name;
  std::string uid = {};  // kubectl describe finds events by it; "": not known
  std::string_view api_version = "v1";
};

// An Event object of the core API. The same event at the same time has the same name, so it is made once. `host`: where
// the reporting process runs.
std::string EventObject(const NodeEvent& event, const EventSubject& about, std::string_view host, std::int64_t now);

// Limits the events of a node to five at once, then one every ten minutes, so that a node that flaps does not fill the
// cluster's store.
class EventBudget {
 public:
  bool Take(std::int64_t now);

 private:
  static constexpr std::int64_t kMost = 5;
  static constexpr std::int64_t kSecondsForOne = 600;
  std::int64_t left_ = kMost;
  std::int64_t since_ = 0;  // Unix time from which the next one is counted
};

}  // namespace prov::fleet
