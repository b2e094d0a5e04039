// Runs rounds of `reconcile` one after the other until this program is asked to stop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "provisioner/node/reconcile_once.h"

namespace prov::node {

// Waits for a reason for a new round, at most `milliseconds`; returns false if this program was asked to stop.
using ChangeWaiter = std::function<bool(std::int64_t milliseconds)>;

// How rounds follow each other, and the callbacks that report them.
struct LoopOptions {
  std::int64_t interval_seconds = 0;  // 0: what the machine has stored, else kDefaultInterval
  bool varies = false;                // apply Jittered()
  Approver* approver = nullptr;       // as for RunRound()
  RoundBy by = RoundBy::kLoop;        // likewise
  // `on_report` is called after a round that did or found something new, `on_failure` after one that failed for a new
  // cause. Either may be empty.
  std::function<void(const RoundReport&)> on_report = {};
  std::function<void(const Error&)> on_failure = {};
  ChangeWaiter wait = {};  // returns early when the source changes; empty: waits by the clock
  // Called before each round: returns true if another process makes it. May be empty.
  std::function<bool()> should_skip = {};
  // Called after each round, whatever its result and whoever made it, while the machine is closed. May be empty.
  std::function<void()> after_round = {};
};
inline constexpr std::int64_t kDefaultInterval = 60;  // seconds
inline constexpr std::int64_t kLongestInterval = 86400;

// A failed round is logged, once for each new cause and again each day that it persists, and tried again. Only `wait`,
// or a request to stop while the source is read, ends the loop. A lock held by another run counts as a failure only
// after minutes. The machine is open only while it is examined and changed.
void Loop(machine::Host& host, const SettingsReader& read, const LoopOptions& options);

// A pause that varies by a tenth of `milliseconds`, differently for each machine and moment, so that nodes that boot
// together do not keep asking their source at the same time.
std::int64_t Jittered(std::int64_t milliseconds, std::string_view machine, std::int64_t now);

// Decides what is reported: each cause once, and again after a day.
class DailyLimit {
 public:
  bool IsDue(const std::string& cause, std::int64_t now);

 private:
  std::map<std::string, std::int64_t> known_;  // cause; Unix time at which it was last reported
};

// Logs failures besides the rounds, each cause once and again after a day.
class FailureLog {
 public:
  explicit FailureLog(machine::Host& host) : host_(host) {}
  // Returns whether it was written.
  bool Write(const Error& error);

 private:
  machine::Host& host_;
  DailyLimit limit_;
};

// Writes the outcome of a round to the event log.
void LogRound(machine::Host& host, const RoundReport& report);

}  // namespace prov::node
