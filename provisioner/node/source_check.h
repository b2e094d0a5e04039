// Who could change what a node follows.
#pragma once

#include "provisioner/machine/installation.h"
#include "provisioner/node/settings.h"

namespace prov::node {

// Whether the local files that these words name may decide what SYSTEM does: the source, unless it lies on a network,
// and the files that say whom to believe there and what to leave out (--ca, --kubeconfig, --subtract). It refuses
// before anything is read or written; what then is read is checked again, on the handle that is read
// (Installation::ReadFollowed). Errors: those of Installation::CheckSource.
Result<void> CheckSourceFiles(machine::Installation& installation, const SourceWords& words);

}  // namespace prov::node
