// What a rollout says to one node: the annotations of its Node object that approve settings.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/machine/host.h"
#include "provisioner/node/approval.h"
#include "provisioner/node/node_reporting.h"

namespace prov::fleet {

// The digest of the settings that a node may try, and how. Both are written in one patch.
inline constexpr std::string_view kApprovedAnnotation = "egress-provisioner/approved";
inline constexpr std::string_view kRolloutAnnotation = "egress-provisioner/rollout";
// The Secret with the last confirmed settings, in the namespace of the fleet's pods. `egress.json`: node::SettingsJson
// of them.
inline constexpr std::string_view kFleetNamespace = "egress-provisioner";  // where nobody chose another
inline constexpr std::string_view kConfirmedSecret = "confirmed";
inline constexpr std::string_view kConfirmedKey = "egress.json";

inline constexpr std::size_t kMostApprovalEntries = 20;  // probes, and images
inline constexpr std::int64_t kShortestTrial = 10;       // seconds
inline constexpr std::int64_t kLongestTrial = 3600;

// A JSON merge patch of a Node that approves, or withdraws an approval (nullopt).
std::string ApprovalPatch(const std::optional<node::Approval>& approval);

// The approval that a Node object has; nullopt: none. Unknown members, other types and amounts beyond the limits are
// refused: an approval that is read in part would try settings without a part of their proof. Errors: json, type,
// version, too-large, usage and image-reference.
Result<std::optional<node::Approval>> ReadApproval(const std::string& node_object, const std::string& where);

// Asks the API server of this node's cluster. Each question takes at most 20 seconds.
class ClusterApprover final : public node::Approver {
 public:
  ClusterApprover(machine::Host& host, node::ClusterNode node) : host_(host), node_(std::move(node)) {}

  Result<std::optional<node::Approval>> Read() override;
  Result<std::optional<node::ConfirmedConfig>> Confirmed() override;
  // Any answer of the API server, whose certificate the kubeconfig's CA verifies, will do. A proxy that the kubeconfig
  // names is used in any case. Tries up to three times.
  Result<void> Reach(const egress::EgressConfig& config, std::int64_t seconds) override;

 private:
  machine::Host& host_;
  node::ClusterNode node_;
};

}  // namespace prov::fleet
