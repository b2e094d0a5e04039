// The guard of payloads: data that travelled, of which an old one that turns up again must not bring back what was
// replaced since.
#pragma once

#include "provisioner/machine/state_record.h"
#include "provisioner/node/records.h"
#include "provisioner/node/settings.h"

namespace prov::node {

// What `bake` gives a payload when nobody says another: unsigned ones of it have no order among themselves.
inline constexpr std::int64_t kDefaultGeneration = 1;

// The error downgrade for a payload of a lower generation than the one that was applied last, or for another one of the
// same generation; for a signed payload also than the last one of that signer, whatever was removed since. Sources
// without generations pass.
Result<void> GuardAgainstDowngrade(machine::StateRecord& state, const Settings& settings);

// With `sections`, `applied` becomes what signed payloads are compared with. Nothing of one that is not signed.
void RaiseFloor(const Applied& applied, reconcile::Sections& sections);

}  // namespace prov::node
