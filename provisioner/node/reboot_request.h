// A reboot is asked for once in each boot, and in one way: of Windows, or of whoever drains this node.
#pragma once

#include <functional>

#include "provisioner/node/apply.h"

namespace prov::node {

enum class RebootWay { kNow, kAnnotate };

enum class RebootAnswer {
  kNotNeeded,
  kAsked,        // just now
  kAskedBefore,  // in this boot, in this or the other way
};

// Whether RequestReboot() would ask: one is needed, and none was asked for in this boot. Reads only. Errors: those of
// the ports.
Result<bool> RebootIsDue(OpenNode& node);

// If a reboot is needed, and none was asked for since the last boot: `ask`. Of Windows it is remembered before it is
// asked for, so that what ends this program meanwhile does not have the node boot twice; asking in the other way twice
// is asking once, so it is remembered afterwards, and none is lost. Errors: those of `ask`, which is then asked again
// by the next call, and of the ports.
Result<RebootAnswer> RequestReboot(OpenNode& node, RebootWay way, const std::function<Result<void>()>& ask);

}  // namespace prov::node
