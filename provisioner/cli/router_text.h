// The text output of `router`.
#pragma once

#include <string>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/router/evaluation.h"
#include "provisioner/router/router_policy.h"

namespace prov::cli {

struct ExplainedDestination {
  std::string shown;
  router::RouterDecision decision;
};

std::string RouterExplainJson(const router::RouterPolicy& policy, const std::vector<ExplainedDestination>& explained,
                              const Findings& findings);
std::string RouterExplainText(const std::vector<ExplainedDestination>& explained);

std::string RouterCheckJson(const Findings& findings, bool valid);
std::string RouterCheckText(const std::vector<std::string>& files, const Findings& findings, bool valid);

}  // namespace prov::cli
