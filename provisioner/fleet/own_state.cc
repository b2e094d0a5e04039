#include "provisioner/fleet/own_state.h"

#include <utility>

#include "provisioner/base/hash.h"
#include "provisioner/base/sentence.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/node/approval.h"
#include "provisioner/node/reconcile_once.h"

namespace prov::fleet {
namespace {

std::optional<NodeFailure> FailureOf(const node::NodeStatus& status) {
  if (status.RoundsFail()) {
    return NodeFailure{status.round_failure->code,
                       SentenceWithPlace(status.round_failure->message, status.round_failure->where)};
  }
  if (status.record_lost) return NodeFailure{"state-lost", "the record of this node was lost"};
  if (!status.failure) return std::nullopt;
  return NodeFailure{status.failure->code, status.failure->message};
}

// The version of the program that makes the rounds. If the boot service runs, that is the installed one, even if
// another program, such as a pod, reports.
std::string VersionOf(const node::NodeStatus& status, const std::string& own) {
  const auto& service = status.boot_service;
  return service && service->running && !service->version.empty() ? service->version : own;
}

// Identifies the credentials, which only proxies hold. The result never leaves this process.
std::string KeyOf(const egress::EgressConfig& config, const std::string& digest) {
  std::string text = digest;
  for (const auto& url : {config.http_proxy, config.https_proxy}) text += '\n' + (url ? url->Reveal() : std::string());
  return Sha256(text);
}

}  // namespace

std::optional<std::string> OwnState::CredentialsOf(const egress::EgressConfig& config, const std::string& digest) {
  std::string key = KeyOf(config, digest);
  if (key == known_key_) return known_;
  known_ = egress::CredentialDigest(config, digest);
  known_key_ = std::move(key);
  return known_;
}

Result<NodeState> OwnState::Look(node::OpenNode& node, const std::string& version) {
  const node::NodeStatus status = PROV_TRY(node::StatusOf(node));
  first_expiry_ = status.first_expiry;
  NodeState out;
  out.held = status.held || status.engine.trial;
  out.read_at = status.read_at;
  out.drift = static_cast<std::int64_t>(status.engine.drift.size());
  out.stale_services = status.StaleServices();
  out.reboot_required = status.engine.reboot_required;
  out.failure = FailureOf(status);
  out.version = VersionOf(status, version);
  out.approval = status.approval;
  // It is as if there had been no trial.
  if (out.approval && out.approval->trial && out.approval->trial->result == TrialResult::kUndecided)
    out.approval->trial.reset();
  const auto kept = node::LastGoodSettings(node.machine.state);
  if (kept) {
    for (const std::string_view name : kept->options.scope.Names()) out.scope.emplace_back(name);
    out.services = kept->options.services;
  }
  // While a rollback or a trial holds, the node does not have the settings that were applied last.
  if (!status.applied || out.held) return out;
  out.generation = status.applied->generation;
  out.applied_at = status.applied->since;
  if (status.applied->source_digest.empty()) return out;
  out.digest = status.applied->source_digest;
  if (kept) out.credential_digest = CredentialsOf(kept->config, *out.digest);
  return out;
}

}  // namespace prov::fleet
