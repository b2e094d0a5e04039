// The pin of a machine: which payloads it accepts (payload/pin.h). It lies beside the installed program, where only
// administrators can write, and each change is one rename.
#pragma once

#include "provisioner/base/finding.h"
#include "provisioner/machine/host.h"
#include "provisioner/node/open_node.h"
#include "provisioner/node/settings.h"
#include "provisioner/payload/pin.h"

namespace prov::node {

// Empty: nothing is pinned, and any payload that matches its manifest is accepted. Errors: those of the port and of
// ParsePin, because a damaged pin must not count as none.
Result<payload::Pin> LoadPin(machine::Host& host);

// The pin with what was given (With). A signer that was given replaces a damaged pin. Errors: those of LoadPin.
Result<payload::Pin> PinWith(machine::Host& host, const payload::Pin& given);

// Pins what was given for all later runs. Adds findings if that is new. Returns whether anything was written.
Result<bool> PinGiven(machine::Host& host, const payload::Pin& given, Findings& findings);

// Brings the pinned signers up to date: settings of an accepted payload may introduce one, and the last signed payload
// that was applied replaces those before its signer. The next run does what a killed one left. Does nothing for other
// settings.
Result<void> UpdateSigners(OpenNode& node, const Settings& settings, Findings& findings);

}  // namespace prov::node
