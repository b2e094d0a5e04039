// Records: what a node remembers between runs, beside the engine's own files. Each is one small file in the state
// folder. Those that change together do so in one step, with the run that makes them true (reconcile/journal.h), and
// are read as the journal says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/machine/state_folder.h"
#include "provisioner/node/settings.h"
#include "provisioner/reconcile/journal.h"

namespace prov::node {

inline constexpr std::string_view kSourceFile = "source.json";
inline constexpr std::string_view kSettingsFile = "settings.json";  // the last good ones of the stored source
inline constexpr std::string_view kAppliedFile = "applied.json";
inline constexpr std::string_view kHoldFile = "hold.json";
inline constexpr std::string_view kTrialFile = "trial.json";
inline constexpr std::string_view kBootsFile = "boots.json";
inline constexpr std::string_view kFailureFile = "failure.json";
inline constexpr std::string_view kRestartFile = "restart.json";  // see service_restart.h
inline constexpr std::string_view kFloorFile = "floor.json";      // `remove` keeps it

// Where `reconcile` takes its settings from.
struct StoredSource {
  SourceWords words;
  bool follow = true;  // false: it was delivered once and is used up; the settings kept of it are what is wanted
  bool adopt = false;  // first-boot was cut short: what its payload baked is still to become ours

  bool operator==(const StoredSource&) const = default;
};
Result<std::optional<StoredSource>> LoadSource(machine::StateFolder& state);
std::string SourceJson(const StoredSource& source);
Result<void> SaveSource(machine::StateFolder& state, const StoredSource& source);

// What was applied last.
struct Applied {
  std::string digest;  // SHA-256 (hex) of its SettingsJson
  std::optional<std::int64_t> generation;
  std::int64_t since = 0;    // Unix time of the run that applied it first
  std::string source;        // for people
  std::string payload = {};  // as in Settings
  std::string signer = {};

  bool operator==(const Applied&) const = default;
};
Result<std::optional<Applied>> LoadApplied(machine::StateFolder& state);
std::string AppliedJson(const Applied& applied);

// The last signed payload that was applied: nothing before it is taken from that signer any more. It outlives what was
// applied, as the pinned signer does, and goes with the state folder.
struct Floor {
  std::string signer;  // SHA-256 (hex) of the certificate
  std::int64_t generation = 0;
  std::string payload;  // SHA-256 (hex) of the manifest
};
Result<std::optional<Floor>> LoadFloor(machine::StateFolder& state);
std::string FloorJson(const Floor& floor);

// A rollback holds against the settings of this digest.
Result<std::optional<std::string>> LoadHold(machine::StateFolder& state);
std::string HoldJson(std::string_view digest);

// A trial: until when it waits for `confirm`, in which boot, and what it then has applied.
struct Trial {
  std::int64_t until = 0;  // Unix time
  std::string boot;
  Applied applied;
};
Result<std::optional<Trial>> LoadTrial(machine::StateFolder& state);
std::string TrialJson(const Trial& trial);

// The boots in which one and the same change that wants a reboot was needed.
struct Boots {
  std::string change;  // digest of it
  std::vector<std::string> ids;
};
Result<std::optional<Boots>> LoadBoots(machine::StateFolder& state);
Result<void> SaveBoots(machine::StateFolder& state, const Boots& boots);

// What has no other file to go with. Removes `file` if it is there, and only then touches the folder.
Result<void> Forget(machine::StateFolder& state, std::string_view file);
// Writes `file` if it does not hold `text` already.
Result<void> Remember(machine::StateFolder& state, std::string_view file, std::string_view text);

}  // namespace prov::node
