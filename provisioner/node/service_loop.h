// Rounds of `reconcile`, one after the other, until this program is asked to stop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "provisioner/node/reconcile_once.h"

namespace prov::node {

// Waits until there may be something to do, at most as long; false: this program was asked to stop.
using ChangeWaiter = std::function<bool(std::int64_t milliseconds)>;

// How rounds follow each other, and who is told of them.
struct LoopOptions {
  std::int64_t interval_seconds = 0;  // 0: what the machine has stored, else kDefaultInterval
  bool as_service = false;            // this is the boot service: see Jittered() and NoteService()
  bool varies = false;                // Jittered(), too
  // A round that did or noticed something new, and one that failed for a new cause. Either may be empty.
  std::function<void(const RoundReport&)> told = {};
  std::function<void(const Error&)> failed = {};
  ChangeWaiter wait = {};  // one that sees changes of the source; else the clock's
  // Asked before each round: whether somebody else makes it. May be empty.
  std::function<bool()> stands_aside = {};
  // After each round, whatever it met and whoever made it, while the machine is closed. May be empty.
  std::function<void()> after = {};
};
inline constexpr std::int64_t kDefaultInterval = 60;  // seconds
inline constexpr std::int64_t kLongestInterval = 86400;

// A round that fails is logged, once for each new cause and again each day that it stands, and tried again: nothing
// ends the loop but `wait`, and a stop while the source is read. That another run has the machine is no failure before
// it has lasted for minutes. The machine is open only while it is looked at and changed.
void Loop(machine::Host& host, const SettingsReader& read, const LoopOptions& options);

// A pause within a tenth of `milliseconds`, another one for each machine and moment: nodes that boot at the same time
// must not ask their source at the same time ever after.
std::int64_t Jittered(std::int64_t milliseconds, std::string_view machine, std::int64_t now);

// What is told once for each cause, and again when that was a day ago.
class DailyNews {
 public:
  bool IsDue(const std::string& cause, std::int64_t now);

 private:
  std::map<std::string, std::int64_t> known_;  // cause, Unix time of the last
};

// That the source can't be watched, once for each cause and again when the last was a day ago: it is read in each round
// all the same.
class WatchLog {
 public:
  explicit WatchLog(machine::Host& host) : host_(host) {}
  void Write(const Error& error);

 private:
  machine::Host& host_;
  DailyNews news_;
};

// What a round leaves in the event log.
void LogRound(machine::Host& host, const RoundReport& report);

}  // namespace prov::node
