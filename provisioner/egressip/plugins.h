// The two network plugins of OpenShift, as EvaluateEgressIps asks them.
#pragma once

#include <set>
#include <string>

#include "provisioner/egressip/egress_ip.h"

namespace prov::egressip {

using NodeNames = std::set<std::string, std::less<>>;

// Both add to `out` the namespaces, and to its nodes (which are there already) what is active on them.
void EvaluateSdn(const EgressObjects& objects, const NodeNames& offline, EgressReport& out);
void EvaluateOvn(const EgressObjects& objects, const NodeNames& offline, EgressReport& out);

// The node of the report, or null.
NodeEgress* FindNode(EgressReport& report, std::string_view name);

}  // namespace prov::egressip
