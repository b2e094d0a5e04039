// Repairs the state folder: a file that is empty, cut short, garbled or deleted does not end the management of a node.
// The state record and the journal are restored from their second copies. Without a record, the ledger is taken from an
// open journal; the rest is reported as lost. Unreadable files are kept under a name that says what they are and from
// when. docs/state.md says what is done for which file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/node/apply.h"

namespace prov::node {

inline constexpr std::string_view kRepairsSection = "repairs";  // what was repaired, the newest last
// Part of what is ours here is unknown. The next apply adopts whatever equals its settings, and clears this.
inline constexpr std::string_view kLostSection = "lost";

struct DamagedFile {
  std::string file;     // its full path
  std::string problem;  // "is empty"
  std::string from;     // the file that it is restored from; "": none
  std::string kept;     // full path of what was in it; "": nothing was, or nothing of it is missing
  std::string effect;   // what is not known any more; "": nothing is lost
};

struct StateRepair {
  std::vector<DamagedFile> files;
};

// Repairs what is damaged; it can be called again after any failure. If nothing is damaged, it only makes a missing
// copy. Errors: those of the folder. A file of a newer program is left for its reader to refuse (version).
Result<StateRepair> RepairFolder(machine::StateFolder& folder, std::int64_t now);

// The same on a node, for commands that write, before they read: a finding `state-damaged` (warning) and an event for
// each damaged file.
Result<void> RepairState(OpenNode& node, Findings& findings);

// A node as it will be once its state is repaired, for what only reads: nothing is written.
class RepairedView {
 public:
  explicit RepairedView(OpenNode& node);
  RepairedView(const RepairedView&) = delete;
  RepairedView& operator=(const RepairedView&) = delete;
  ~RepairedView();

  // What it gives lasts as long as this. Errors: those of RepairFolder.
  Result<OpenNode> Open();
  const std::vector<DamagedFile>& damage() const { return repair_.files; }  // once it is open

 private:
  OpenNode& node_;
  std::unique_ptr<machine::StateFolder> folder_;
  machine::StateRecord record_;
  StateRepair repair_;
};

// Whether it is unknown, fully or in part, what is ours on this machine: the record says so, or there is none although
// the boot service is here.
Result<bool> RecordIsLost(OpenNode& node);

// Whether there never was a state here, or all of it was deleted.
Result<bool> HasNoRecord(machine::StateFolder& folder);

// If the record is lost: the finding `state-lost` (warning), once; with `sections` the record says so.
Result<void> WarnOfLoss(OpenNode& node, Findings& findings);
Result<void> AddLoss(OpenNode& node, reconcile::Sections& sections);

// The message about a damaged file, before or after the repair.
enum class Moment { kFound, kRepaired };
std::string Describe(const DamagedFile& file, Moment moment);
// The message about a lost record: its consequences, and what to do.
std::string DescribeLoss();

// What was repaired on this machine, the newest last.
struct PastRepair {
  std::int64_t at = 0;  // Unix time
  DamagedFile file;
};
Result<std::vector<PastRepair>> LoadRepairs(machine::StateRecord& state);

// Removes what repairs kept. For `remove --all`.
Result<void> RemoveKeptFiles(machine::StateRecord& state);

}  // namespace prov::node
