// What this node has to tell its cluster now, by its records and by a look at it.
#pragma once

#include <optional>
#include <string>

#include "provisioner/fleet/node_state.h"
#include "provisioner/node/status.h"

namespace prov::fleet {

class OwnState {
 public:
  // `version`: of this program, which is told where the boot service does not run. Reads only. Errors: those of
  // node::StatusOf.
  Result<NodeState> Look(node::OpenNode& node, const std::string& version);
  // What that look saw of certificates.
  const std::optional<node::Expiry>& first_expiry() const { return first_expiry_; }

 private:
  std::optional<std::string> CredentialsOf(const egress::EgressConfig& config, const std::string& digest);

  // The digest of credentials is slow on purpose, so it is made once for the same ones.
  std::string known_key_;
  std::optional<std::string> known_;
  std::optional<node::Expiry> first_expiry_;
};

}  // namespace prov::fleet
