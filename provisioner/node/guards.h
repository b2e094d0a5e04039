// Guards: reasons for a run to refuse a source that it can read. The source sets nothing; the payload is older than the
// applied one; the certificate file lost most of its certificates, or they are elsewhere; or something undoes the
// change at every boot.
#pragma once

#include "provisioner/egress/egress_config.h"
#include "provisioner/machine/machine.h"
#include "provisioner/machine/state_record.h"
#include "provisioner/node/records.h"
#include "provisioner/node/settings.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/plan.h"

namespace prov::node {

// Fails with `empty` if `desired` holds nothing: such a source is usually the wrong file, or the wrong part of it. For
// payloads, which may be applied anywhere.
Result<void> GuardAgainstEmpty(const egress::EgressConfig& config, const reconcile::DesiredState& desired);

// The same for a source on this machine, with exceptions. If something here is ours, an empty source means that it is
// to be removed. Settings that equal the last applied ones pass, as a second run may find nothing to do. A payload's
// settings pass, because `bake` has checked them. Reads the record.
Result<void> GuardAgainstEmpty(machine::Machine& machine, const DerivedSettings& derived);

// Fails with `remote-source` if the source's certificates are at a URL that only the script of its user data fetches.
// For an output that would lose them.
Result<void> GuardAgainstUnreadTrust(const egress::EgressConfig& config);

// The same for settings on this machine. Certificates of ours stay, so a machine that has some passes. Reads the
// record.
Result<void> GuardAgainstUnreadTrust(machine::Machine& machine, const Settings& settings);

// Fails with `downgrade` for a payload with a lower generation than the last applied one, or a different payload of the
// same generation: payloads are copied and kept, and an old one must not bring back replaced settings. A signed
// payload is also compared with the last one of its signers, even if that was removed since. Sources without
// generations pass.
Result<void> GuardAgainstDowngrade(machine::StateRecord& state, const Settings& settings);

// Fails with `signature` for a payload by a signer that the last signed one has replaced: a run may have been killed
// before it took the former signer out of the pin.
Result<void> GuardAgainstFormerSigner(machine::StateRecord& state, const Settings& settings);

// Records `applied` as what later signed payloads are compared with. Does nothing for an unsigned payload.
void RaiseMinimum(const Applied& applied, reconcile::Sections& sections);

// Fails with `shrink` if the source is a raw certificate file, eight or more certificates on this machine are ours, and
// `desired` would remove over half of them: such a file may be truncated or the wrong one. A bundle inside a cluster's
// object is authoritative and passes. Reads the record.
Result<void> GuardAgainstShrinking(machine::Machine& machine, const egress::EgressConfig& config,
                                   const reconcile::DesiredState& desired);

// Counts the boots in which the same change, which requires a reboot, was needed: something on the machine undoes it.
// Writes the section `boots`. Errors: reboot-loop after three such boots; the caller must write nothing then.
Result<void> GuardAgainstRebootLoop(machine::Machine& machine, const reconcile::Plan& plan);

}  // namespace prov::node
