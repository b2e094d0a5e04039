#include "provisioner/fleet/fleet_status.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "provisioner/base/clock.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/fleet/kept_secrets.h"
#include "provisioner/fleet/policy_review.h"
#include "provisioner/fleet/rollout_nodes.h"
#include "provisioner/node/guards.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_client.h"
#include "provisioner/source/kube_uri.h"

namespace prov::fleet {
namespace {

constexpr std::int64_t kPause = 5000;  // milliseconds, between two readings

// Those that a fleet with such nodes needs.
std::vector<std::string_view> PoliciesFor(const std::vector<NodeRow>& rows) {
  const auto any = [&](const auto& has) {
    return std::ranges::any_of(rows, [&](const NodeRow& row) { return row.node.state && has(*row.node.state); });
  };
  std::vector<std::string_view> out;
  if (any([](const NodeState&) { return true; })) out = {kNodesPolicy, kEventsPolicy};
  if (any([](const NodeState& state) { return state.approval.has_value(); })) out.push_back(kRolloutPolicy);
  if (any([](const NodeState& state) { return state.drain.has_value(); })) out.push_back(kRebootPolicy);
  return out;
}

Result<std::optional<FleetRollout>> ReadRollout(source::KubeClient& client, const std::string& name_space) {
  const ConfirmedSecret secret = PROV_TRY(ReadConfirmedSecret(client, name_space));
  if (!secret.record) return std::nullopt;
  FleetRollout out{*secret.record, {}};
  for (const RolloutNode& node : PROV_TRY(ReadRolloutNodes(client)))
    out.standings.emplace(node.name, StandingOf(node, out.record.order));
  return out;
}

// Without it the table is still true, so a failure is a finding.
void AddRollout(source::KubeClient& client, const StatusRequest& request, FleetStatus& out) {
  const auto waits = [](const NodeRow& row) { return row.node.state && row.node.state->approval; };
  if (std::ranges::none_of(out.rows, waits)) return;
  Result<std::optional<FleetRollout>> rollout = ReadRollout(client, request.name_space);
  if (rollout) {
    out.rollout = *std::move(rollout);
    return;
  }
  AddWarning(out.findings, "fleet-rollout",
             fmt::format("the rollout is not shown, as it can't be read: {}", rollout.error().message),
             rollout.error().where);
}

// Computes the credential digest once: that is slow, and it is the same for all nodes.
class Credentials {
 public:
  Credentials(const egress::EgressConfig& config, const std::string& digest) : config_(config), digest_(digest) {}

  std::optional<bool> AreCurrent(const NodeState& state) {
    if (!state.credential_digest || !egress::IsCredentialDigest(*state.credential_digest)) return std::nullopt;
    if (state.digest != digest_) return std::nullopt;  // other settings mean another salt
    if (!known_) known_ = egress::CredentialDigest(config_, digest_).value_or("");
    return *known_ == *state.credential_digest;
  }

 private:
  const egress::EgressConfig& config_;
  const std::string& digest_;
  std::optional<std::string> known_;
};

// Without a pool, as in a cluster that is not OpenShift, the error suggests --source.
Result<node::SourceContent> ReadWanted(machine::Host& host, const StatusRequest& request) {
  Result<node::SourceContent> out = node::ReadSource(host, request.wanted);
  const bool is_default = request.wanted.source == request.cluster.source;
  if (!out && is_default && out.error().code == Code::kNotFound)
    out.error().message += "; if the cluster has no pool, name the wanted settings with --source SOURCE";
  // The digest covers the certificates.
  if (out) PROV_TRY(node::GuardAgainstUnreadTrust(out->config));
  return out;
}

// Settings to compare with, and the digests that they give.
struct Wanted {
  explicit Wanted(egress::EgressConfig read)
      : config(std::move(read)), digest(egress::SettingsDigest(config)), credentials(config, digest) {}
  Wanted(const Wanted&) = delete;
  Wanted& operator=(const Wanted&) = delete;

  // Without settings (null) only what the row itself says counts.
  static NodeRow Compared(FleetNode report, Wanted* wanted) {
    NodeRow row{std::move(report), std::nullopt, false};
    if (!row.node.state) return row;
    if (wanted != nullptr) row.credentials_current = wanted->credentials.AreCurrent(*row.node.state);
    const bool same = wanted == nullptr ? row.node.state->digest.has_value() : row.node.state->digest == wanted->digest;
    row.current = same && row.credentials_current.value_or(true);
    return row;
  }

  egress::EgressConfig config;
  std::string digest;
  Credentials credentials;
};

std::optional<source::KubeTarget> PoolOf(const std::string& source, const ignition::Selection& selection) {
  if (!source::IsKubeUri(source)) return std::nullopt;
  auto target = source::ParseKubeUri(source, selection);
  if (!target || target->kind != source::KubeKind::kPool) return std::nullopt;
  return *std::move(target);
}

// Whether a controller with this source, in the cluster of the request, follows the wanted settings. If not, it alone
// knows what its Secret should have, and compares.
bool FollowsWanted(const std::string& source, const StatusRequest& request) {
  const auto followed = PoolOf(source, {.pool = "worker", .name = {}});
  if (!followed) return !source::IsKubeUri(source) && source == request.wanted.source;
  const auto wanted = PoolOf(request.wanted.source, request.wanted.selection);
  const auto cluster = source::ParseKubeUri(request.cluster.source, request.cluster.selection);
  return wanted && cluster && wanted->context == cluster->context && wanted->name == followed->name;
}

}  // namespace

bool IsDone(const FleetStatus& status, const StatusRequest& request) {
  return status.IsCurrent() && (request.wait_seconds == 0 || !status.rows.empty());
}

Result<FleetStatus> ReadStatus(machine::Host& host, const StatusRequest& request) {
  Wanted wanted(PROV_TRY(ReadWanted(host, request)).config);
  FleetStatus out;
  out.source = wanted.config.source;
  out.wanted = wanted.digest;
  out.findings = wanted.config.findings;
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(request.cluster));
  source::KubeClient client(access, {host.http(), host.clock()});
  std::vector<FleetNode> nodes = PROV_TRY(ReadNodes(client));
  out.rows.reserve(nodes.size());
  for (FleetNode& one : nodes) out.rows.push_back(Wanted::Compared(std::move(one), &wanted));
  std::vector<KeptSecret> secrets = ReadKeptSecrets(client, out.findings);
  out.secrets.reserve(secrets.size());
  for (KeptSecret& one : secrets) {
    const bool kept = IsKept(one, host.clock().NowUnix(), out.findings);
    NodeRow row = Wanted::Compared(std::move(one.reported), FollowsWanted(one.source, request) ? &wanted : nullptr);
    // The settings of a Secret may be current while the operator's script behind them is not.
    if (!kept || (row.node.state && row.node.state->failure)) row.current = false;
    out.secrets.push_back(std::move(row));
  }
  AddRollout(client, request, out);
  if (const auto wanted = PoliciesFor(out.rows); !wanted.empty()) ReviewPolicies(client, wanted, out.findings);
  return out;
}

Result<FleetStatus> AwaitStatus(machine::Host& host, const StatusRequest& request) {
  const std::int64_t end = host.clock().NowUnix() + request.wait_seconds;
  bool was_good = false;
  for (;;) {
    Result<FleetStatus> status = ReadStatus(host, request);
    was_good = was_good || status;
    const bool is_temporary = !status && was_good && status.error().code == Code::kNetwork;
    const bool is_done = status ? IsDone(*status, request) : !is_temporary;
    const std::int64_t left = (end - host.clock().NowUnix()) * kMillisecondsPerSecond;
    if (is_done || left <= 0 || !host.clock().Wait(std::min(left, kPause))) return status;
  }
}

}  // namespace prov::fleet
