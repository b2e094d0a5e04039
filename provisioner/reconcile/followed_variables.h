// What the services' environments of ours get of the three proxy variables: what the settings say, or, where the
// Windows Machine Config Operator's daemon decides about the machine's variables, what it has set. Otherwise settings
// that were delivered once would keep containerd and kubelet at a proxy that the cluster has left.
#pragma once

#include <vector>

#include "provisioner/reconcile/planner.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::reconcile {

class FollowedVariables {
 public:
  // What the operator's daemon decides about on the machine that is planned for; nothing where none was seen. A value
  // with which clients would go around the proxy is not followed, but told as a finding (`operator-value`). Of
  // credentials it holds what the settings allow services to hold.
  static Result<FollowedVariables> Read(Planner& planner);

  // `settings` with what the operator has set in place of what they say.
  std::vector<EnvironmentVariable> Over(const std::vector<EnvironmentVariable>& settings) const;
  bool any() const { return !values_.empty(); }

 private:
  OperatorVariables values_;
};

}  // namespace prov::reconcile
