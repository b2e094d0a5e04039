// The state that this node reports to its cluster, computed from its records and an inspection of the machine.
#pragma once

#include <optional>
#include <string>

#include "provisioner/fleet/node_state.h"
#include "provisioner/node/status.h"

namespace prov::fleet {

class OwnState {
 public:
  // `version`: this program's, reported if the boot service does not run. Reads only. Errors: those of node::StatusOf.
  Result<NodeState> Look(node::OpenNode& node, const std::string& version);
  // The certificate that the last Look() found to expire first.
  const std::optional<node::Expiry>& first_expiry() const { return first_expiry_; }

 private:
  std::optional<std::string> CredentialsOf(const egress::EgressConfig& config, const std::string& digest);

  // The credential digest is slow on purpose, so it is computed once for the same credentials.
  std::string known_key_;
  std::optional<std::string> known_;
  std::optional<node::Expiry> first_expiry_;
};

}  // namespace prov::fleet
