// What `status` tells of a node: the engine's view, the records, and what running services really have.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/node/apply.h"

namespace prov::node {

// The environment block of a running service whose environment is ours.
struct RunningService {
  std::string name;
  std::uint32_t process_id = 0;
  std::vector<std::pair<std::string, std::string>> variables;  // of the three, without passwords
  bool stale = false;                                          // started before the present values were written
  std::string unreadable;                                      // why its block can't be read, or ""
};

struct NodeStatus {
  reconcile::StatusReport engine;
  std::vector<RunningService> services;
  std::optional<StoredSource> source;
  std::optional<Applied> applied;
  std::int64_t age_seconds = 0;  // of what was applied last
  bool held = false;
  std::optional<Trial> trial;
  bool image_incomplete = false;       // an installation into this image was cut short
  std::optional<std::string> failure;  // of a first boot during Windows setup: the error's text

  bool Differs() const {
    return !engine.drift.empty() || engine.open_transaction || engine.damage.has_value() || image_incomplete ||
           failure.has_value();
  }
};

// Reads only.
Result<NodeStatus> StatusOf(OpenNode& node);

// What `status` can't tell of a node from its image.
struct NotVisible {
  std::string what;  // a stable word: "users", "processes", "reboot", "service"
  std::string why;
};
// Reads only. `status`: of the same node.
Result<std::vector<NotVisible>> NotVisibleInImage(OpenNode& node, const NodeStatus& status);

}  // namespace prov::node
