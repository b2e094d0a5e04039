// The evaluations of OpenShift's two network plugins, for EvaluateEgressIps.
#pragma once

#include <set>
#include <string>

#include "provisioner/egressip/egress_ip.h"

namespace prov::egressip {

using NodeNames = std::set<std::string, std::less<>>;

// Both add the namespaces to `out`, and the active addresses to its nodes, which it has already.
void EvaluateSdn(const EgressObjects& objects, const NodeNames& offline, EgressReport& out);
void EvaluateOvn(const EgressObjects& objects, const NodeNames& offline, EgressReport& out);

// The node in the report, or nullptr.
NodeEgress* FindNode(EgressReport& report, std::string_view name);

}  // namespace prov::egressip
