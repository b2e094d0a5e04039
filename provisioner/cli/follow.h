// Rounds one after the other until this program is asked to stop: of `reconcile` and of `pod`.
#pragma once

#include "provisioner/cli/beside_rounds.h"
#include "provisioner/node/service_loop.h"

namespace prov::source {
struct SourceCache;
}

namespace prov::cli {

// Reads stored words; `cache` may be null. The signer is read again each time: one that was pinned meanwhile counts
// from the next round on.
node::SettingsReader ReaderOn(machine::Host& host, source::SourceCache* cache);

// A source that can be watched makes a round begin at once. What fails beside the rounds is logged, once for each cause
// and day.
void Follow(machine::Host& host, node::LoopOptions options, const BesideRounds& beside);

}  // namespace prov::cli
