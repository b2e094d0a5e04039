// The registration by which the Event Viewer finds the texts of this program's events.
#pragma once

#include "provisioner/node/apply.h"

namespace prov::node {

Result<bool> RegisterEventSource(Node& node);  // whether anything was written
Result<void> UnregisterEventSource(Node& node);

}  // namespace prov::node
