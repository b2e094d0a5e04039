// Guards: what a run refuses although its source can be read: a source that sets nothing, a payload that is older than
// what is here, a file of certificates that lost most of them, a change that does not last.
#pragma once

#include <cstdint>

#include "provisioner/egress/egress_config.h"
#include "provisioner/machine/machine.h"
#include "provisioner/machine/state_record.h"
#include "provisioner/node/records.h"
#include "provisioner/node/settings.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/reconcile/plan.h"

namespace prov::node {

// What `bake` gives a payload when nobody says another: unsigned ones of it have no order among themselves.
inline constexpr std::int64_t kDefaultGeneration = 1;

// A source that sets nothing is mostly the wrong file, or the wrong part of it. The error empty if `desired` holds
// nothing. For a payload, which may go anywhere.
Result<void> GuardAgainstEmpty(const egress::EgressConfig& config, const reconcile::DesiredState& desired);

// The same, unless something on this machine is ours: then the source takes that away. Settings that were applied last
// pass, as a second run may find nothing to do; those of a payload pass, as its baking was asked. Reads the record.
Result<void> GuardAgainstEmpty(machine::Machine& machine, const DerivedSettings& derived);

// Payloads are data that travelled: an old one that turns up again must not bring back what was replaced since.
// The error downgrade for a payload of a lower generation than the one that was applied last, or for another one of the
// same generation; for a signed payload also than the last one of that signer, whatever was removed since. Sources
// without generations pass.
Result<void> GuardAgainstDowngrade(machine::StateRecord& state, const Settings& settings);

// With `sections`, `applied` becomes what signed payloads are compared with. Nothing of one that is not signed.
void RaiseFloor(const Applied& applied, reconcile::Sections& sections);

// Inside a cluster's object a bundle is authoritative, but a file or page of certificates may be cut, or another one.
// The error shrink if the source is a raw certificate file, eight certificates or more on this machine are ours, and
// `desired` would take away over half of them. Reads the record.
Result<void> GuardAgainstShrinking(machine::Machine& machine, const egress::EgressConfig& config,
                                   const reconcile::DesiredState& desired);

// A machine needs the same change, and therefore a reboot, at each boot: something there undoes it. Counts the boots in
// which `plan` was needed. Errors: reboot-loop when three of them were not enough; nothing is to be written then.
Result<void> GuardAgainstRebootLoop(machine::Machine& machine, const reconcile::Plan& plan);

}  // namespace prov::node
