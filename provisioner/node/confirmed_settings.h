// The settings that the fleet has confirmed last: a node that has none yet takes them while no rollout has confirmed
// those of its source. So does what a controller makes for new machines and pods.
#pragma once

#include <optional>

#include "provisioner/machine/host.h"
#include "provisioner/node/approval.h"
#include "provisioner/node/settings.h"
#include "provisioner/node/source_reader.h"

namespace prov::node {

// They, with the choices of `spec`; nullopt: none are to be taken. They can be set here. Errors: those of
// Approver::Confirmed, WithChoices and Derive.
Result<std::optional<Settings>> ConfirmedSettings(machine::Host& host, Approver& approver, const SettingsSpec& spec);

// The same of `confirmed`, such as on the machine of a controller. Errors: those of WithChoices and Derive.
Result<Settings> SettingsOfConfirmed(machine::Host& host, ConfirmedConfig confirmed, const SettingsSpec& spec,
                                     const ReadOptions& options);

// Puts them in the place of `fresh`, which was read from the source, if their digests differ. No first boot is held up:
// where they can't be read, `fresh` stays. Findings: approval-first.
void BeginWithConfirmed(machine::Host& host, Approver& approver, const SettingsSpec& spec, Settings& fresh,
                        Findings& findings);

}  // namespace prov::node
