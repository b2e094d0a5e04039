// The state that a node reports to its cluster: the annotation egress-provisioner/state of its Node object. Every user
// who may read nodes can read it, so it holds no secrets. Format: docs/fleet.md#the-annotation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/result.h"
#include "provisioner/node/approval.h"
#include "provisioner/node/reboot_request.h"

namespace prov::fleet {

inline constexpr std::string_view kStateAnnotation = "egress-provisioner/state";

struct NodeFailure {
  std::string code;
  std::string message;

  bool operator==(const NodeFailure&) const = default;
};

// Of a node that applies new settings only when they are approved.
using TrialResult = node::ApprovedResult;
using NodeTrial = node::ApprovedTrial;
using NodeApproval = node::ApprovalRecord;

struct NodeState {
  std::optional<std::string> digest;             // of the applied settings (egress::SettingsDigest); nullopt: none yet
  std::optional<std::string> credential_digest;  // of the credentials it stores; nullopt: none
  std::optional<std::int64_t> generation;        // of a payload
  std::optional<std::int64_t> applied_at;        // Unix time
  std::optional<std::int64_t> read_at;           // Unix time of the last successful reading of the source
  std::int64_t drift = 0;                        // items of ours that others changed
  std::vector<std::string> stale_services;       // these run with an earlier environment
  bool reboot_required = false;
  bool held = false;                     // a rollback or a trial holds: the node follows no source meanwhile
  std::optional<NodeFailure> failure;    // the present failure
  std::optional<NodeApproval> approval;  // nullopt: it takes settings without approval
  std::optional<node::DrainWish> drain;  // nullopt: nobody is to drain it (--reboot drain)
  std::string version;                   // of the program
  // Of a Secret: seconds between the rounds of the controller; nullopt: of a node, or no controller goes on.
  std::optional<std::int64_t> interval;
  // The options with which the node applies the settings.
  std::vector<std::string> scope;
  std::vector<std::string> services;

  bool operator==(const NodeState&) const = default;
};

// The annotation's text, in one line. The same state gives the same text.
std::string StateText(const NodeState& state);

// Writes the members `pending` and `trial` into the open object.
void WriteApproval(const NodeApproval& approval, JsonWriter& json);

// Unknown members are ignored. Times may be texts or Unix times. Errors: json, type, version (a newer program wrote
// it).
Result<NodeState> ParseState(std::string_view text, std::string_view where);

// A JSON merge patch of a Node that sets only this annotation, or removes it (nullopt).
std::string AnnotationPatch(std::string_view name, const std::optional<std::string>& value);

}  // namespace prov::fleet
