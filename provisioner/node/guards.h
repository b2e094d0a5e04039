// Guards: what a run refuses although its source can be read: a source that sets nothing, a payload older than the
// applied one, a certificate file that lost most of its certificates, a change that is undone at every boot.
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

// The generation that `bake` gives a payload by default: unsigned payloads with it have no order among themselves.
inline constexpr std::int64_t kDefaultGeneration = 1;

// A source that sets nothing is usually the wrong file, or the wrong part of it. The error empty if `desired` holds
// nothing. For payloads, which may be applied anywhere.
Result<void> GuardAgainstEmpty(const egress::EgressConfig& config, const reconcile::DesiredState& desired);

// The same, unless something on this machine is ours: then the source means that it is to be removed. Settings that
// equal the last applied ones pass, as a second run may find nothing to do. Those of a payload pass, because `bake` has
// asked already. Reads the record.
Result<void> GuardAgainstEmpty(machine::Machine& machine, const DerivedSettings& derived);

// Payloads are copied around: an old one that turns up again must not bring back what was replaced since. The error
// downgrade for a payload with a lower generation than the last applied one, or for a different one of the same
// generation. A signed payload is also compared with the last one of that signer, even if that was removed since.
// Sources without generations pass.
Result<void> GuardAgainstDowngrade(machine::StateRecord& state, const Settings& settings);

// Records `applied` in `sections` as what later signed payloads are compared with. Nothing for an unsigned payload.
void RaiseFloor(const Applied& applied, reconcile::Sections& sections);

// A bundle inside a cluster's object is authoritative, but a file or page of certificates may be cut short or be the
// wrong one. The error shrink if the source is a raw certificate file, eight or more certificates on this machine are
// ours, and `desired` would remove over half of them. Reads the record.
Result<void> GuardAgainstShrinking(machine::Machine& machine, const egress::EgressConfig& config,
                                   const reconcile::DesiredState& desired);

// Counts the boots in which the same change, which requires a reboot, was needed: something on the machine undoes it.
// Errors: reboot-loop after three such boots; nothing may be written then.
Result<void> GuardAgainstRebootLoop(machine::Machine& machine, const reconcile::Plan& plan);

}  // namespace prov::node
