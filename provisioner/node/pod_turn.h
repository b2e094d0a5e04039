// A pod and the boot service on one node: who makes the next round.
#pragma once

#include "provisioner/node/first_boot.h"

namespace prov::node {

enum class Turn { kPod, kService };

// The boot service, where it runs. A program that is older than this one is replaced by this one first, as `service
// install` does. Else the pod, which then follows `words`, unless a boot service that does not run has a source of its
// own. The lock of the state folder keeps a service that starts meanwhile from making a round at the same time. Errors:
// lock, owner, those of the ports.
Result<Turn> TakeTurn(machine::Host& host, const SourceWords& words);

}  // namespace prov::node
