// Runs rounds of `reconcile` or `pod` until this program is asked to stop.
#pragma once

#include "provisioner/cli/beside_rounds.h"
#include "provisioner/node/service_loop.h"

namespace prov::source {
struct SourceCache;
}

namespace prov::cli {

// Reads what a node remembers; `cache` may be null. The signer is read again each time, so a signer that was pinned
// meanwhile counts from the next round on.
node::SettingsReader ReaderOn(machine::Host& host, source::SourceCache* cache);

// If the source can be watched, a change starts a round at once. Failures besides the rounds are logged, once for each
// cause and day.
void Follow(machine::Host& host, node::LoopOptions options, const node::NodeReporting& reporting);

}  // namespace prov::cli
