// Activity: what the last rounds of `reconcile` met, for `status` to show. No setting depends on it, so it is a file of
// its own beside the state record. If it is lost or damaged, nothing is shown and the next round writes a new one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/node/apply.h"

namespace prov::node {

inline constexpr std::string_view kActivityFile = "activity.json";

// A program file, as it lies in its place.
struct ProgramIdentity {
  std::string version;  // of its version resource; "": it has none
  std::string sha256;   // hex

  bool operator==(const ProgramIdentity&) const = default;
};
// The installed one. nullopt: there is none.
Result<std::optional<ProgramIdentity>> InstalledProgram(machine::Installation& installation);

// The process of the boot service.
struct ServiceProcess {
  ProgramIdentity program;  // that it was started from
  std::uint32_t process_id = 0;
  std::string boot;

  bool operator==(const ServiceProcess&) const = default;
};

// A failure of rounds: of the source, or of the round itself.
struct RoundFailure {
  std::string code, message, where;
  std::int64_t since = 0;            // Unix time of the first round that failed in this way
  std::optional<std::int64_t> over;  // of the first round that did not fail; nullopt: it stands

  bool operator==(const RoundFailure&) const = default;
};

// The pause after repeated failures to report this node to its cluster (fleet/state_reporter.h), kept so that a
// restarted program continues it.
struct ReportPause {
  std::int64_t seconds = 0;  // the last one, before it was varied; 0: none
  std::int64_t until = 0;    // Unix time
  std::string boot;          // in which it counts

  bool operator==(const ReportPause&) const = default;
};

struct Activity {
  std::optional<ServiceProcess> service;
  std::string source;                   // digest of how the source is read, of which the next two tell
  std::optional<std::int64_t> read_at;  // Unix time at which it was last read, and its settings taken
  std::optional<RoundFailure> failure;  // the last one
  ReportPause report_pause;

  bool operator==(const Activity&) const = default;
};

Activity LoadActivity(machine::StateFolder& folder);
// The same; what it says about another source than `source` is left out.
Activity LoadActivity(machine::StateFolder& folder, const StoredSource& source);

// Records whether a round read `source`, and why it failed if it did. Times of reading are kept to the minute, so that
// rounds in quick succession write once. Best effort, like everything that writes here.
void NoteRound(OpenNode& node, const StoredSource& source, bool was_read, const Error* failure);
void NoteService(OpenNode& node, const ProgramIdentity& program);
// Of this boot; none: seconds is 0.
ReportPause LoadReportPause(OpenNode& node);
void NoteReportPause(OpenNode& node, std::int64_t seconds, std::int64_t until);
void ForgetActivity(OpenNode& node);

}  // namespace prov::node
