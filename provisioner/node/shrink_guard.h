// The guard of raw certificate files: inside a cluster's object a bundle is authoritative, but a file or page of
// certificates may be cut, or another one.
#pragma once

#include "provisioner/egress/egress_config.h"
#include "provisioner/machine/machine.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::node {

// The error shrink if the source is a raw certificate file, eight certificates or more on this machine are ours, and
// `desired` would take away over half of them. Reads the record.
Result<void> GuardAgainstShrinking(machine::Machine& machine, const egress::EgressConfig& config,
                                   const reconcile::DesiredState& desired);

}  // namespace prov::node
