// What `status` reports of a node: the engine's view, the records, and the environment that running services really
// have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/node/activity.h"
#include "provisioner/node/apply.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::node {

// The environment block of a running service whose environment is ours.
struct RunningService {
  std::string name;
  std::uint32_t process_id = 0;
  std::vector<std::pair<std::string, std::string>> variables;  // of the three, without passwords
  bool stale = false;                                          // started before the present values were written
  std::string unreadable;                                      // why its block can't be read, or ""
};

// The boot service of a running system.
struct BootService {
  bool expected = false;  // it has to run: it was installed, and Windows setup is over
  bool installed = false, running = false;
  std::uint32_t process_id = 0;
  std::string version;  // of the installed program; "": not known
  std::string
      running_version;    // of the one that runs; "": not known, as it has not begun a round or is too old to tell
  bool outdated = false;  // what runs is known, and is another program than the installed one

  bool Fails() const { return expected && !running; }
};

// The certificate of ours that expires first.
struct Expiry {
  std::string name;  // "ROOT 4F1A…": store and thumbprint
  std::string subject, not_after;
  std::int64_t seconds = 0;  // until then; less than 0: it has expired

  std::int64_t Days() const;  // whole ones; -1 when it expired within the last day
};
// Within it an expiry is a reason for attention.
inline constexpr std::int64_t kExpirySeconds = std::int64_t{30} * 24 * 60 * 60;

struct NodeStatus {
  reconcile::StatusReport engine;
  std::optional<BootService> boot_service;  // nullopt: nothing runs here (an image)
  std::vector<RunningService> services;
  std::vector<reconcile::MachineVariable> variables;  // whose the machine's are
  std::optional<StoredSource> source;
  std::optional<std::int64_t> read_at;  // Unix time at which the stored source was last read well
  std::int64_t read_age_seconds = 0;
  std::optional<RoundFailure> round_failure;  // the last one of that source
  std::optional<Applied> applied;
  std::int64_t age_seconds = 0;  // of what was applied last
  bool held = false;
  std::optional<Trial> trial;
  bool image_incomplete = false;       // an installation into this image was cut short
  std::optional<std::string> failure;  // of a first boot during Windows setup: the error's text
  std::optional<Expiry> first_expiry;
  std::vector<DamagedFile> damage;  // files of the state, which the next run repairs
  bool record_lost = false;         // what is ours is not known any more, or not all of it
  std::vector<PastRepair> repairs;

  bool RoundsFail() const { return round_failure && !round_failure->over; }
  // Why somebody should look at this: "drift", "failure", "hold", "trial", "open", "damage", "service", "expiry".
  std::vector<std::string_view> Reasons() const;
  bool Differs() const { return !Reasons().empty(); }
};

// Reads only.
Result<NodeStatus> StatusOf(OpenNode& node);

// What `status` can't tell of a node from its image.
struct NotVisible {
  std::string what;  // a stable word: "users", "processes", "reboot"
  std::string why;
};
const std::vector<NotVisible>& NotVisibleInImage();

}  // namespace prov::node
