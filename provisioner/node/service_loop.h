// Rounds of `reconcile`, one after the other, until this program is asked to stop.
#pragma once

#include <functional>

#include "provisioner/node/reconcile_once.h"

namespace prov::node {

// `told` gets each round that did or noticed something new. A round that fails is logged, once for each new cause, and
// tried again: nothing ends the loop but Clock::Wait.
void Loop(machine::Host& host, const SettingsReader& read, std::int64_t interval_seconds,
          const std::function<void(const RoundReport&)>& told);

// What a round leaves in the event log.
void LogRound(machine::Host& host, const RoundReport& report);

}  // namespace prov::node
