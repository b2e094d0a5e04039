// Follows the source that a node remembers: runs rounds of `reconcile` or `pod`, and one at once when the source
// changes.
#pragma once

#include "provisioner/node/service_loop.h"

namespace prov::source {
struct SourceCache;
}

namespace prov::node {

// Reads the source that a node remembers; `cache` may be null. Reads the pin again each time, so that a new
// one counts from the next round on.
SettingsReader FollowedReader(machine::Host& host, source::SourceCache* cache);

// Runs Loop() and watches the source if possible: a change starts a round at once. Sets `options.wait`.
void Follow(machine::Host& host, LoopOptions options);

}  // namespace prov::node
