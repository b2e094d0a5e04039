// Records: what a node remembers between runs, besides the records of the engine. Each is a section of the state
// record. Records that change together are written in one step, together with the run that makes them true
// (reconcile/journal.h). Until an interrupted run is finished, they hold the state before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/error.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/result.h"
#include "provisioner/machine/state_record.h"
#include "provisioner/node/node_reporting.h"
#include "provisioner/node/settings.h"

namespace prov::node {

inline constexpr std::string_view kSourceSection = "source";
inline constexpr std::string_view kSettingsSection = "settings";  // the last good ones of the stored source
inline constexpr std::string_view kAppliedSection = "applied";
inline constexpr std::string_view kHoldSection = "hold";
inline constexpr std::string_view kRemovedSection = "removed";
inline constexpr std::string_view kBootsSection = "boots";
inline constexpr std::string_view kFailureSection = "failure";
inline constexpr std::string_view kRestartSection = "restart";  // services that a killed run was about to restart
inline constexpr std::string_view kServiceSection = "service";
inline constexpr std::string_view kRebootRequestSection = "rebootAsked";
inline constexpr std::string_view kFloorSection = "floor";  // MinimumPayload; kept by `remove`

// The source of `reconcile`.
struct StoredSource {
  SettingsSpec spec;
  bool follow = true;  // false: it was delivered once, and its kept settings apply
  bool adopt = false;  // first-boot was interrupted: what its payload baked is not recorded as ours yet

  bool operator==(const StoredSource&) const = default;
};
Result<std::optional<StoredSource>> LoadSource(machine::StateRecord& state);
std::string SourceJson(const StoredSource& source);
Result<void> SaveSource(machine::StateRecord& state, const StoredSource& source);

// What was applied last.
struct Applied {
  std::string digest;  // SHA-256 (hex) of its SettingsJson
  std::optional<std::int64_t> generation;
  std::int64_t since = 0;    // Unix time of the run that applied it first
  std::string source;        // for people
  std::string payload = {};  // see Settings
  std::string signer = {};
  std::string source_digest = {};  // "" if it is not known
  std::optional<SettingsSpec> given = {};
  std::vector<std::string> found = {};  // keys of items that were as wanted before us: `remove` leaves them

  bool operator==(const Applied&) const = default;
};
Result<std::optional<Applied>> LoadApplied(machine::StateRecord& state);
std::string AppliedJson(const Applied& applied);
Result<Applied> ReadApplied(const JsonNode& node);  // errors: type

// The last signed payload that was applied: older ones of that signer are refused. Like the pinned signer, this record
// outlives the applied settings; it is deleted with the state folder.
struct MinimumPayload {
  std::string signer;  // SHA-256 (hex) of the certificate
  std::int64_t generation = 0;
  std::string payload;  // SHA-256 (hex) of the manifest
};
Result<std::optional<MinimumPayload>> LoadMinimum(machine::StateRecord& state);
std::string MinimumJson(const MinimumPayload& minimum);

// The hold of a rollback: it lasts as long as the source gives the settings with this digest.
Result<std::optional<std::string>> LoadHold(machine::StateRecord& state);
std::string HoldJson(std::string_view digest);

// When the settings were removed (Unix time), until others are applied.
Result<std::optional<std::int64_t>> LoadRemoved(machine::StateRecord& state);
std::string RemovedJson(std::int64_t at);

// Counts the boots in which the same change, which requires a reboot, was needed.
struct Boots {
  std::string change;  // digest of the change
  std::vector<std::string> ids;
};
Result<std::optional<Boots>> LoadBoots(machine::StateRecord& state);
Result<void> SaveBoots(machine::StateRecord& state, const Boots& boots);

// Stored while the boot service should be running: it was installed on this machine and not uninstalled since.
struct ServiceRecord {
  std::int64_t interval_seconds = 0;  // between its rounds; 0: the default
  NodeReporting reporting = {};
};
Result<std::optional<ServiceRecord>> LoadService(machine::StateRecord& state);
std::string ServiceJson(const ServiceRecord& service);

// The error of a first boot, kept here because Windows setup must not see it as an exit code.
struct BootFailure {
  std::string code;
  std::string message;  // a sentence with the place

  std::string Text() const { return code + ": " + message; }
};
Result<void> SaveFailure(machine::StateRecord& state, const Error& error);
Result<std::optional<BootFailure>> LoadFailure(machine::StateRecord& state);

// Writes one section by itself, if it differs.
Result<void> Forget(machine::StateRecord& state, std::string_view section);
Result<void> Remember(machine::StateRecord& state, std::string_view section, std::string json);

}  // namespace prov::node
