// Approval: a node of a fleet may apply new settings only after its cluster has approved them for this node, and then
// as a trial. What the cluster says, and what the node remembers of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/json_reader.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/machine/state_record.h"

namespace prov::node {

inline constexpr std::string_view kApprovalSection = "approval";

// What the cluster says on this node's own object.
struct Approval {
  std::string digest;               // egress::SettingsDigest of the settings that this node may try
  std::vector<std::string> probes;  // URLs that have to answer while they are tried
  std::vector<std::string> images;  // references of images that have to arrive
  std::int64_t trial_seconds = 0;   // within which the trial ends
  std::int64_t attempt = 1;         // a higher one lets a node try again what it took back

  bool operator==(const Approval&) const = default;
};

// Settings that a rollout has confirmed. They have only the certificates that nodes import, so their own digest may be
// another than that of their source.
struct ConfirmedConfig {
  egress::EgressConfig config;
  std::string digest;  // egress::SettingsDigest of the source
};

// Port: the cluster, as a round asks it with the machine closed, and first-boot with the machine open, as it reads its
// source. fleet/approver.h implements it.
class Approver {
 public:
  virtual ~Approver() = default;
  // What this node may try; nullopt: nothing. Errors: those of the cluster's API; json, type and too-large (what it
  // says can't be read).
  virtual Result<std::optional<Approval>> Read() = 0;
  // The settings that a rollout of the fleet has confirmed last; nullopt: none has confirmed any. Errors: as of Read.
  virtual Result<std::optional<ConfirmedConfig>> Confirmed() = 0;
  // Whether the API server answers to a request that goes the way which these settings say, within this time. Errors:
  // network, tls.
  virtual Result<void> Reach(const egress::EgressConfig& config, std::int64_t seconds) = 0;
};

// Of a trial. kUndecided: it ended and says nothing of the settings, which may be tried again without another approval.
enum class ApprovedResult { kRunning, kConfirmed, kTakenBack, kUndecided };
// "running", "confirmed", "rolledBack", "undecided": in the record; but for the last also in the state of a node.
std::string_view NameOf(ApprovedResult result);
// Errors: type.
Result<ApprovedResult> ReadApprovedResult(const JsonNode& node);

// The last trial of approved settings.
struct ApprovedTrial {
  std::string digest;
  ApprovedResult result = ApprovedResult::kRunning;
  std::string reason = {};   // why they were taken back; "": not said
  std::int64_t attempt = 1;  // that of the approval
  bool is_second = false;    // the first trial of this attempt was cut short
  bool by_person = false;    // a person took them back: no attempt counts until the source says something else
  bool is_settled = false;   // confirmed, and the cluster is not asked any more whether the former ones are approved

  bool operator==(const ApprovedTrial&) const = default;
};

// How a run ended the trial that another one had begun. kCutShort: nobody proves it any more.
enum class TrialEnd { kConfirmed, kByPerson, kCutShort };

// The section `approval`; a node has it while its rounds wait for approval.
struct ApprovalRecord {
  std::optional<std::string> pending;  // digest of settings that were read and are not applied
  std::optional<ApprovedTrial> trial;

  bool WasTakenBack(std::string_view digest) const;
  // Whether the approval is one of these settings, and newer than what took them back here.
  bool MayTry(const Approval& approval, std::string_view digest) const;
  // Says how the running trial ended; nothing if none runs. A trial of settings that do not wait is a return to former
  // ones: that is tried until it succeeds, others once more when they were cut short.
  void End(TrialEnd how);
  // Whether the settings that wait are those that were tried last and taken back.
  bool PendingFailed() const { return pending && WasTakenBack(*pending); }
  // Notes which settings of the source wait now. That these are others ends what a person's rollback held.
  void SetPending(std::optional<std::string> digest);

  bool operator==(const ApprovalRecord&) const = default;
};
// nullopt: there is none. Errors: json, type.
Result<std::optional<ApprovalRecord>> LoadApproval(machine::StateRecord& state);
std::string ApprovalJson(const ApprovalRecord& record);
// Adds the record after End(), if a trial runs. Errors: those of LoadApproval.
Result<void> AddEnd(machine::StateRecord& state, TrialEnd how, machine::Sections& sections);

}  // namespace prov::node
