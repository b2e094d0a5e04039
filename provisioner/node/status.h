// What `status` reports of a node: the engine's report, the records, and the actual environment of running services.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "images/tree/image_tree.h"
#include "provisioner/node/activity.h"
#include "provisioner/node/approval.h"
#include "provisioner/node/image_record.h"
#include "provisioner/node/open_node.h"
#include "provisioner/node/records.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/node/trial.h"
#include "provisioner/reconcile/observe.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::node {

// A running service and its environment block.
struct RunningService {
  std::string name;
  std::uint32_t process_id = 0;
  std::vector<std::pair<std::string, std::string>> variables;  // the three proxy variables, without passwords
  std::vector<std::string> stale;  // those of them that have another value than a new process would get
  bool needs_boot = false;         // one of these comes from the machine variables, so a restart does not change it
  std::string unreadable;          // why the block can't be read, or ""

  // What to type for a stale service, after the node is drained: a restart, or a reboot.
  std::string Command() const;
};

// "Restart-Service -Force 'containerd'".
std::string RestartCommand(std::string_view service);

// `engine`: of this node. nullopt: there is no such service, or it does not run.
Result<std::optional<RunningService>> ReadRunningService(OpenNode& node, const reconcile::StatusReport& engine,
                                                         std::string_view name);

// The boot service of a running system.
struct BootService {
  bool expected = false;  // it should run: it was installed, and Windows setup is over
  bool installed = false, running = false;
  std::uint32_t process_id = 0;
  std::string version;    // of the installed program; "": unknown
  bool outdated = false;  // the service runs another program than the installed one

  bool Fails() const { return expected && !running; }
};

// The certificate of ours that expires first.
struct Expiry {
  std::string key;   // its item's: "certificate:ROOT:4f1a…"
  std::string name;  // "ROOT 4F1A…": store and thumbprint
  std::string subject, not_after;
  std::int64_t seconds = 0;  // until it expires; negative: it has expired

  std::int64_t Days() const;  // whole days; -1 if it expired within the last day
};
// An expiry within this time is a reason for attention.
inline constexpr std::int64_t kExpirySeconds = std::int64_t{30} * 24 * 60 * 60;

struct NodeStatus {
  reconcile::StatusReport engine;
  std::optional<BootService> boot_service;            // nullopt: nothing runs here (an image)
  std::vector<RunningService> services;               // those in whose environment we set variables
  std::vector<reconcile::MachineVariable> variables;  // the machine's variables and who owns them
  std::optional<StoredSource> source;
  std::optional<std::int64_t> read_at;  // Unix time of the last successful reading of the stored source
  std::int64_t read_age_seconds = 0;
  std::int64_t round_interval = 0;            // seconds between rounds of the boot service; 0: the default
  std::optional<RoundFailure> round_failure;  // the last failed round with that source
  std::optional<Applied> applied;
  std::int64_t age_seconds = 0;  // since the present settings were first applied
  bool held = false;
  std::optional<ApprovalRecord> approval;  // nullopt: it takes new settings without approval
  std::optional<Trial> trial;
  bool image_incomplete = false;       // an installation into this image was interrupted
  std::optional<BootFailure> failure;  // of a first boot during Windows setup
  std::optional<Expiry> first_expiry;
  std::vector<LostFile> lost_files;        // of the installation
  std::optional<std::int64_t> removed_at;  // Unix time of `remove`; nullopt: settings were applied since, or never
  std::vector<DamagedFile> damage;         // damaged files of the state, which the next run repairs
  bool record_lost = false;                // it is unknown, fully or partly, what is ours
  std::vector<PastRepair> repairs;

  bool RoundsFail() const { return round_failure && !round_failure->over; }
  std::vector<std::string> StaleServices() const;
  // Reasons for an administrator's attention: "drift", "stale", "failure", "hold", "trial", "open", "damage",
  // "service", "files", "expiry".
  std::vector<std::string_view> Reasons() const;
  bool Differs() const { return !Reasons().empty(); }
};

// Reads only. `image`: the files of an image; null: the node runs.
Result<NodeStatus> StatusOf(OpenNode& node, images::ImageTree* image = nullptr);

// What `status` can't see in an image of a node.
struct NotVisible {
  std::string what;  // a stable word: "users", "processes", "reboot"
  std::string why;
};
const std::vector<NotVisible>& NotVisibleInImage();

}  // namespace prov::node
