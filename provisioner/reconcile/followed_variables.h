// The proxy variables in the services' environments that are ours. They come from the settings or, where the Windows
// Machine Config Operator's daemon owns the machine's variables, from what the daemon has set. Otherwise settings that
// were delivered once would keep containerd and kubelet at a proxy that the cluster no longer uses.
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
