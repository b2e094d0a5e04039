// State record: what this program remembers of a machine, in one file of the state folder, state.json. It consists of
// sections; one concept owns each. What changes together does so in one step: one file replaces another. Beside it lies
// only the journal of a run that is on its way (reconcile/journal.h). Format and upgrades: provisioner/docs/state.md.
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

// Sections by name, each as a JSON document; nullopt: the section goes.
using Sections = std::map<std::string, std::optional<std::string>, std::less<>>;

class StateRecord {
 public:
  explicit StateRecord(StateFolder& folder) : folder_(&folder) {}  // which must outlive this

  // nullopt: there is no such section. Reads what earlier versions kept, where there is no state.json. Errors: those of
  // StateFolder::Read; json, type, hash-mismatch (the file is damaged); version (a newer program wrote it).
  Result<std::optional<JsonNode>> Read(std::string_view section);

  // All of them become true in one step, durable when this returns. Nothing is written where nothing differs. Takes the
  // place of the files of earlier versions. Errors: as above; those of StateFolder::Write.
  Result<void> Commit(const Sections& changes);

  StateFolder& folder() { return *folder_; }

 private:
  using Nodes = std::map<std::string, JsonNode, std::less<>>;

  Result<void> Load();
  Result<void> Write(bool earlier_files);

  StateFolder* folder_;
  bool is_loaded_ = false;
  std::optional<std::string> text_;  // of the file that sections_ are from
  Nodes sections_;
  bool earlier_files_ = false;  // files of earlier versions are still to be removed
};

}  // namespace prov::machine
