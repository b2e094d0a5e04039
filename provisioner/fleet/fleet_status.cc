#include "provisioner/fleet/fleet_status.h"

#include <utility>

#include "provisioner/base/clock.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/node/guards.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_client.h"

namespace prov::fleet {
namespace {

constexpr std::int64_t kPause = 5000;  // milliseconds, between two readings

Result<std::vector<FleetNode>> NodesOf(machine::Host& host, const source::SourceSpec& cluster) {
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(cluster));
  source::KubeClient client(access, {host.http(), host.clock()});
  return ReadNodes(client);
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
  for (FleetNode& node : PROV_TRY(NodesOf(host, request.cluster))) {
    NodeRow row{std::move(node), std::nullopt, false};
    if (row.node.state) {
      row.credentials_current = credentials.AreCurrent(*row.node.state);
      row.current = row.node.state->digest == out.wanted && row.credentials_current.value_or(true);
    }
    out.rows.push_back(std::move(row));
  }
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
