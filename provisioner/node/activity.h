// Activity: the outcome of the last rounds of `reconcile`, for `status` to show. No setting depends on it, so it is a
// file of its own beside the state record. If the file is lost or damaged, `status` shows nothing until the next round
// writes a new one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/node/open_node.h"
#include "provisioner/node/records.h"

namespace prov::node {

inline constexpr std::string_view kActivityFile = "activity.json";

// A failure of rounds: the source or the round itself failed.
struct RoundFailure {
  std::string code, message, where;
  std::int64_t since = 0;            // Unix time of the first round that failed in this way
  std::optional<std::int64_t> over;  // Unix time of the first round without it; nullopt: it persists

  bool operator==(const RoundFailure&) const = default;
};

struct Activity {
  std::string source;                   // digest of the source's spec; the others are about this source
  std::optional<std::int64_t> read_at;  // Unix time of the last reading whose settings were taken
  std::optional<RoundFailure> failure;  // the last one

  bool operator==(const Activity&) const = default;
};

Activity LoadActivity(machine::StateFolder& folder);
// Loads the activity; an empty one if it is about another source than `source`.
Activity LoadActivity(machine::StateFolder& folder, const StoredSource& source);

// Records whether a round read `source`, and why it failed if it did. Reading times are kept to the minute, so that
// rounds in quick succession write once. Best effort, like every function here that writes.
void NoteRound(OpenNode& node, const StoredSource& source, bool was_read, const Error* failure);
void ForgetActivity(OpenNode& node);

}  // namespace prov::node
