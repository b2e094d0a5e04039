// Follows the source that a node remembers: rounds of `reconcile` or `pod`, and one as soon as the source changes.
#pragma once

#include "provisioner/node/service_loop.h"

namespace prov::source {
struct SourceCache;
}

namespace prov::node {

// Reads what a node remembers; `cache` may be null. The signer is read again each time, so a signer that was pinned
// meanwhile counts from the next round on.
SettingsReader FollowedReader(machine::Host& host, source::SourceCache* cache);

// Loop() with a source that is watched where it can be: a change starts a round at once. `options.wait` is set here.
void Follow(machine::Host& host, LoopOptions options);

}  // namespace prov::node
