// State record: what this program remembers of a machine, in one file of the state folder, state.json. Its sections
// each belong to one concept. Sections that change together are written in one step, by replacing the file. Beside it
// are the journal of an unfinished run (reconcile/journal.h), a second copy of both, and activity.json
// (node/activity.h). Format: provisioner/docs/state.md. Who may write:
// provisioner/DESIGN.md#what-is-written-outside-the-journal.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/json_reader.h"
#include "provisioner/machine/state_folder.h"

namespace prov::machine {

inline constexpr std::string_view kStateFile = "state.json";
inline constexpr std::string_view kJournalFile = "journal.json";
inline constexpr std::string_view kScriptStateFile = "script-state.json";  // of a payload's script
// The second copy of each file: the last good one, which is used if the file is damaged or missing
// (node/state_repair.h).
inline constexpr std::string_view kStatePreviousFile = "state.previous.json";
inline constexpr std::string_view kJournalPreviousFile = "journal.previous.json";

// Sections by name, each as a JSON document; nullopt removes the section.
using Sections = std::map<std::string, std::optional<std::string>, std::less<>>;

// The contents of a state record's file: its sections by name.
using StateContent = std::map<std::string, JsonNode, std::less<>>;
// Errors, with `where`: json, type, hash-mismatch (the file is damaged); version (a newer program wrote it).
Result<StateContent> ParseState(std::string_view text, std::string_view where);
std::string StateText(const StateContent& content);

class StateRecord {
 public:
  explicit StateRecord(StateFolder& folder) : folder_(&folder) {}  // which must outlive this

  // nullopt: there is no such section. Errors: those of StateFolder::Read; json, type, hash-mismatch (the file is
  // damaged); version (a newer program wrote it).
  Result<std::optional<JsonNode>> Read(std::string_view section);

  // Writes all changes in one step, durable on return: it writes the second copy first, and replacing the file is the
  // step. If nothing differs, writes only a missing copy. Errors: as above; those of StateFolder::Write.
  Result<void> Commit(const Sections& changes);

  StateFolder& folder() { return *folder_; }

 private:
  Result<void> Load();
  Result<void> Write();
  Result<void> KeepCopy();  // writes the second copy if it is missing

  StateFolder* folder_;
  bool is_loaded_ = false;
  std::optional<std::string> text_;  // text of the file that content_ was read from
  StateContent content_;
};

}  // namespace prov::machine
