// Rounds of `reconcile`, one after the other, until this program is asked to stop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "provisioner/node/reconcile_once.h"

namespace prov::node {

// Waits until there may be something to do, at most as long; false: this program was asked to stop.
using ChangeWaiter = std::function<bool(std::int64_t milliseconds)>;

// `told` gets each round that did or noticed something new. A round that fails is logged, once for each new cause, and
// tried again: nothing ends the loop but `wait`, which is the clock's unless one is given that sees changes of the
// source, and a stop while the source is read. The machine is open only while it is looked at and changed.
void Loop(machine::Host& host, const SettingsReader& read, std::int64_t interval_seconds,
          const std::function<void(const RoundReport&)>& told, const ChangeWaiter& wait = {});

// That the source can't be watched, once for each cause and again when the last was a day ago: it is read in each round
// all the same.
class WatchLog {
 public:
  explicit WatchLog(machine::Host& host) : host_(host) {}
  void Write(const Error& error);

 private:
  machine::Host& host_;
  std::map<std::string, std::int64_t> known_;  // cause, Unix time of the last
};

// What a round leaves in the event log.
void LogRound(machine::Host& host, const RoundReport& report);

}  // namespace prov::node
