// What a node reports about itself to its cluster: the annotation egress-provisioner/state of its Node object.
// Everybody who may read nodes can read it, so it holds no secrets. Its form: docs/fleet.md#the-annotation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::fleet {

inline constexpr std::string_view kStateAnnotation = "egress-provisioner/state";

struct NodeFailure {
  std::string code;
  std::string message;

  bool operator==(const NodeFailure&) const = default;
};

struct NodeState {
  std::optional<std::string> digest;             // of the settings it has (egress::SettingsDigest); nullopt: none yet
  std::optional<std::string> credential_digest;  // of the credentials it stores; nullopt: none
  std::optional<std::int64_t> generation;        // of a payload
  std::optional<std::int64_t> applied_at;        // Unix time
  std::optional<std::int64_t> read_at;           // of the last good reading of the source
  std::int64_t drift = 0;                        // items of ours that others changed
  bool reboot_required = false;
  bool held = false;                   // a rollback or a trial holds: it follows nothing meanwhile
  std::optional<NodeFailure> failure;  // that stands
  std::string version;                 // of the program
  // The options with which the node applies the settings.
  std::vector<std::string> scope;
  std::vector<std::string> services;

  bool operator==(const NodeState&) const = default;
};

// The annotation's text, in one line. The same state gives the same text.
std::string StateText(const NodeState& state);

// Unknown members are ignored; times may be texts or Unix times. Errors: json, type, version (of a newer program).
Result<NodeState> ParseState(std::string_view text, std::string_view where);

// A merge patch of a Node that writes the annotation and nothing else.
std::string StatePatch(const NodeState& state);
// A merge patch that removes the annotation.
std::string ForgetPatch();

}  // namespace prov::fleet
