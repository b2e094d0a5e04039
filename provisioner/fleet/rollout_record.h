// What a cluster keeps of its rollout: the Secret `confirmed`, with the last confirmed settings, those on their way,
// and how far they are. One object, so that each step is written whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provisioner/fleet/rollout_plan.h"
#include "provisioner/node/approval.h"
#include "provisioner/source/kube_client.h"

namespace prov::fleet {

// The annotation of the Secret with the record, which holds no password. Who may only list Secrets sees it.
inline constexpr std::string_view kRolloutRecordAnnotation = "egress-provisioner/rollout";
inline constexpr std::string_view kNextKey = "next.json";  // the settings on their way, as kConfirmedKey

struct RolloutRecord {
  RolloutOrder order;
  RolloutProgress progress;
  node::Approval approval;  // what approved nodes are told; its digest is that of the order

  bool operator==(const RolloutRecord&) const = default;
};

// The annotation's text, in one line.
std::string RolloutText(const RolloutRecord& record);
// Errors: json, type, version.
Result<RolloutRecord> ParseRolloutRecord(std::string_view text, const std::string& where);

struct ConfirmedSecret {
  std::string where = "Secret confirmed";  // what it was read from, for messages
  std::string resource_version;            // "": it does not exist yet
  std::optional<RolloutRecord> record;     // nullopt: there was no rollout yet
  std::optional<std::string> confirmed;    // node::SettingsJson; nullopt: none were confirmed yet
  std::optional<std::string> next;         // the same of the rollout's settings
};

// An object of the API as JSON. Errors: json, type, version.
Result<ConfirmedSecret> ParseConfirmedSecret(const std::string& body, const std::string& where);

// The Secret in the namespace of a fleet's pods; one that does not exist is empty. Errors: those of KubeClient::Get and
// ParseConfirmedSecret.
Result<ConfirmedSecret> ReadConfirmedSecret(source::KubeClient& client, const std::string& name_space);
// Its place, for writing it and for messages.
source::KubeObject ConfirmedSecretObject(const std::string& name_space);

// The settings that a rollout has confirmed last; nullopt: none has confirmed any. Errors: those of
// node::ParseSettings.
Result<std::optional<node::ConfirmedConfig>> ConfirmedOf(const ConfirmedSecret& secret);

// The digest of the confirmed settings, as nodes report it; "": none are confirmed. That of the settings in the Secret
// may be another one, as they hold only the certificates that nodes import; it counts where the record is gone. Errors:
// those of node::ParseSettings.
Result<std::string> ConfirmedDigest(const ConfirmedSecret& secret);

// The Secret to create, or a JSON merge patch about `secret.resource_version`: with all that `secret` says.
std::string ConfirmedSecretDocument(const ConfirmedSecret& secret, const std::string& name_space);

}  // namespace prov::fleet
