// Requests a reboot once per boot, from Windows or from whoever drains this node.
#pragma once

#include <functional>

#include "provisioner/node/apply.h"
#include "provisioner/node/node_reporting.h"

namespace prov::node {

enum class RebootAnswer {
  kNotNeeded,
  kAsked,        // just now
  kAskedBefore,  // in this boot, in this or the other way
};

// Whether RequestReboot() would ask: one is needed, and none was asked for in this boot. Reads only. Errors: those of
// the ports.
Result<bool> RebootIsDue(OpenNode& node);

// If a reboot is needed and none was requested since the last boot, calls `ask`. A request to Windows is recorded
// before it is made, so that a program killed in between does not reboot the node twice. A request to others is
// recorded afterwards: repeating it is harmless, and none is lost. Errors: those of `ask`, which the next call tries
// again, and of the ports.
Result<RebootAnswer> RequestReboot(OpenNode& node, RebootWay way, const std::function<Result<void>()>& ask);

}  // namespace prov::node
