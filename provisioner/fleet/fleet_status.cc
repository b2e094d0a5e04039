#include "provisioner/fleet/fleet_status.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "provisioner/base/clock.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/node/guards.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_client.h"
#include "provisioner/source/kube_discovery.h"

namespace prov::fleet {
namespace {

constexpr std::int64_t kPause = 5000;  // milliseconds, between two readings

// The controller is not everybody's, and nor is the right to list Secrets.
std::vector<FleetNode> SecretsOf(source::KubeClient& client, Findings& findings) {
  auto secrets = ReadKeptSecrets(client);
  if (secrets) return *std::move(secrets);
  AddInfo(
      findings, "fleet-secrets",
      fmt::format("whether a Secret has the user data of new machines was not looked at: {}", secrets.error().message),
      secrets.error().where);
  return {};
}

// Without the policies a pod of the fleet may write each Node.
void ReviewPolicies(source::KubeClient& client, const std::vector<NodeRow>& rows, Findings& findings) {
  if (std::ranges::none_of(rows, [](const NodeRow& row) { return row.node.state.has_value(); })) return;
  const auto knows = source::Serves(client, source::kAdmissionGroup, source::kValidatingPolicies);
  if (!knows || *knows) return;
  AddWarning(findings, "fleet-policies",
             "this API server is older than Kubernetes 1.30 and knows no ValidatingAdmissionPolicy, so pods of the "
             "fleet may change every Node: who controls one Windows node could taint or label all others; upgrade the "
             "cluster, or report without --node",
             std::string(source::kValidatingPolicies));
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

Result<FleetStatus> ReadStatus(machine::Host& host, const StatusRequest& request) {
  node::SourceContent wanted = PROV_TRY(ReadWanted(host, request));
  FleetStatus out;
  out.source = wanted.config.source;
  out.wanted = egress::SettingsDigest(wanted.config);
  out.findings = std::move(wanted.config.findings);
  Credentials credentials(wanted.config, out.wanted);
  const auto compared = [&](std::vector<FleetNode> reports) {
    std::vector<NodeRow> rows;
    rows.reserve(reports.size());
    for (FleetNode& one : reports) {
      NodeRow row{std::move(one), std::nullopt, false};
      if (row.node.state) {
        row.credentials_current = credentials.AreCurrent(*row.node.state);
        row.current = row.node.state->digest == out.wanted && row.credentials_current.value_or(true);
        // The settings of a Secret may be current while the operator's script behind them is not.
        if (!row.node.name_space.empty() && row.node.state->failure) row.current = false;
      }
      rows.push_back(std::move(row));
    }
    return rows;
  };
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(request.cluster));
  source::KubeClient client(access, {host.http(), host.clock()});
  out.rows = compared(PROV_TRY(ReadNodes(client)));
  out.secrets = compared(SecretsOf(client, out.findings));
  ReviewPolicies(client, out.rows, out.findings);
  return out;
}

}  // namespace

bool IsDone(const FleetStatus& status, const StatusRequest& request) {
  return status.IsCurrent() && (request.wait_seconds == 0 || !status.rows.empty());
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
