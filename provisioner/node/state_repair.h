// Repairs the state folder, so that a file that is empty, cut short, garbled or deleted does not end the management of
// a node. The state record and the journal are restored from their second copies. Without a record, the ledger is taken
// from an open journal, and the rest is reported as lost. Unreadable files are kept under a name that says what they
// are and from when. docs/state.md lists what is done for each file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/node/open_node.h"
#include "provisioner/reconcile/journal.h"

namespace prov::node {

inline constexpr std::string_view kRepairsSection = "repairs";  // past repairs, the newest last
// It is partly unknown what is ours here. The next apply adopts every value that equals its settings, and clears this.
inline constexpr std::string_view kLostSection = "lost";

struct DamagedFile {
  std::string file;     // its full path
  std::string problem;  // "is empty"
  std::string from;     // the file it is restored from; "": none
  std::string kept;     // full path of the kept contents; "": the file was empty or absent, or was restored completely
  std::string effect;   // what is lost; "": nothing
};

// Repairs damaged files; may be called again after any failure. If nothing is damaged, only adds missing second copies.
// Errors: those of the folder. A file of a newer program is not touched: its reader refuses it (version).
Result<std::vector<DamagedFile>> RepairFolder(machine::StateFolder& folder, std::int64_t now);

// RepairFolder() on a node, for commands that write: adds a finding `state-damaged` (warning) and an event for each
// damaged file. To be called before anything is read.
Result<void> RepairState(OpenNode& node, Findings& findings);

// A view of a node as it will be once its state is repaired, for commands that only read. Writes nothing.
class RepairedView {
 public:
  explicit RepairedView(OpenNode& node);
  RepairedView(const RepairedView&) = delete;
  RepairedView& operator=(const RepairedView&) = delete;
  ~RepairedView();

  // The returned node is valid as long as this view. Errors: those of RepairFolder.
  Result<OpenNode> Open();
  const std::vector<DamagedFile>& damage() const { return damage_; }  // once it is open

 private:
  OpenNode& node_;
  std::unique_ptr<machine::StateFolder> folder_;
  machine::StateRecord record_;
  std::vector<DamagedFile> damage_;
};

// Whether it is unknown, fully or partly, what is ours on this machine: the record says so, or there is no record
// although the boot service is installed.
Result<bool> RecordIsLost(OpenNode& node);

// True if there never was a state here, or if all of it was deleted.
Result<bool> HasNoRecord(machine::StateFolder& folder);

// Whether the program has run on the machine: a run writes its log there, and a command on an image does not.
bool HasLog(machine::StateFolder& folder);

// If the record is lost, WarnOfLoss adds the finding `state-lost` (warning), once. AddLoss adds the section with which
// the record says so.
Result<void> WarnOfLoss(OpenNode& node, Findings& findings);
Result<void> AddLoss(OpenNode& node, reconcile::Sections& sections);

// The message about a damaged file, before or after the repair.
enum class Moment { kFound, kRepaired };
std::string Describe(const DamagedFile& file, Moment moment);
// The message about a lost record: its consequences, and what to do.
std::string DescribeLoss();

// A repair that was made on this machine.
struct PastRepair {
  std::int64_t at = 0;  // Unix time
  DamagedFile file;
};
Result<std::vector<PastRepair>> LoadRepairs(machine::StateRecord& state);

// Removes the files that repairs kept. For `remove --all`.
Result<void> RemoveKeptFiles(machine::StateRecord& state);

}  // namespace prov::node
