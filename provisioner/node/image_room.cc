#include "provisioner/node/image_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "images/tree/folder_tree.h"
#include "provisioner/reconcile/transaction.h"

namespace prov::node {
namespace {

using reconcile::Action;
using reconcile::Change;
using reconcile::ItemKind;

constexpr std::uint64_t kBlock = 4096;                 // of a volume, and of a hive's bin
constexpr std::uint64_t kItem = 1024;                  // of a hive or a record: names, keys, descriptors
constexpr std::uint64_t kSmallSections = 40 * kBlock;  // source, applied, floor, ...; of a record and of its copy
// How often a value is stored. Each copy is base64 (4/3): twice in the journal (operations, ledger) and four times in
// the state record (operations and ledger of the last run, ledger, settings). That makes 8, and each file has a second
// copy.
constexpr std::uint64_t kTimesInState = 16;
// How often what an earlier run recorded is stored: twice in the journal; in the state record twice in the last run and
// once in the ledger, and one more record exists for a moment. Both have a second copy.
constexpr std::uint64_t kTimesRecorded = 16;

bool IsWrite(const Change& change) { return change.action != Action::kNone && change.action != Action::kYield; }

bool IsInSystem(ItemKind kind) {
  return kind == ItemKind::kEnvironment || kind == ItemKind::kServiceEnvironment || kind == ItemKind::kService;
}

std::uint64_t InBlocks(std::uint64_t bytes) { return (bytes + kBlock - 1) / kBlock * kBlock; }

// Computes the peak size of files that are written one after the other.
class Counter {
 public:
  explicit Counter(bool together) : together_(together) {}

  // Adds a file and its entry in the folder.
  void Add(std::uint64_t now, std::uint64_t then) {
    const std::uint64_t more = InBlocks(then) + kBlock;
    peak_ = std::max(peak_, held_ + more);
    held_ += more;
    if (!together_) held_ -= std::min(held_, now == 0 ? 0 : InBlocks(now) + kBlock);
  }
  std::uint64_t peak() const { return peak_; }

 private:
  bool together_;
  std::uint64_t held_ = 0, peak_ = 0;
};

// The size of the values that are added or removed; text counts as UTF-16.
std::uint64_t ValueBytes(const ImageWork& work) {
  std::uint64_t out = 0;
  for (const pki::Certificate& certificate : work.certificates) out += certificate.der.size();
  for (const Change& change : work.changes) {
    if (IsWrite(change)) out += kItem + 2 * (change.before.size() + change.after.size());
  }
  return out;
}

Result<std::uint64_t> RecordedBytes(machine::StateRecord& state) {
  const auto ledger = PROV_TRY(state.Read(reconcile::kLedgerSection));
  return ledger ? ledger->Json().size() : 0;
}

// Where an interrupted run may have left files: every folder that runs write into, and its parents, because a missing
// folder is also made under a temporary name first.
std::vector<std::string> Places() {
  std::vector<std::string> out = {"",
                                  "Windows",
                                  "Windows/System32",
                                  "Windows/System32/config",
                                  "Windows/System32/Sysprep",
                                  "Windows/Panther",
                                  "Windows/Panther/Unattend",
                                  "Windows/Setup",
                                  "Windows/Setup/Scripts",
                                  "Program Files",
                                  "ProgramData",
                                  std::string(machine::kImageStateFolder)};
  const std::vector<std::string> own = OwnFolders();
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

}  // namespace

Result<std::uint64_t> RoomFor(machine::ImageHost& image, OpenNode& node, const ImageWork& work) {
  const bool has_files = work.files != nullptr && !(work.files->steps.empty() && work.files->taken_over.empty());
  if (!has_files && std::ranges::none_of(work.changes, IsWrite)) return 0;
  Counter counter(image.tree().WritesTogether());
  const std::uint64_t values = ValueBytes(work);
  counter.Add(0,
              kTimesInState * values + kTimesRecorded * PROV_TRY(RecordedBytes(node.machine.state)) + kSmallSections);
  if (has_files) {
    for (const FileStep& step : work.files->steps) {
      if (step.bytes) counter.Add(step.replaced, step.bytes->size());
    }
  }
  for (const bool system : {false, true}) {
    const bool changes = std::ranges::any_of(
        work.changes, [&](const Change& change) { return IsWrite(change) && IsInSystem(change.kind) == system; });
    if (!changes) continue;
    const std::uint64_t now = PROV_TRY(image.HiveBytes(system ? "SYSTEM" : "SOFTWARE"));
    counter.Add(now, now + InBlocks(values) + kBlock);
  }
  return counter.peak();
}

Result<void> RequireRoom(machine::ImageHost& image, OpenNode& node, const ImageWork& work, std::uint64_t coming_free) {
  const std::uint64_t needed = PROV_TRY(RoomFor(image, node, work));
  if (needed == 0) return {};
  const std::uint64_t there = PROV_TRY(image.tree().FreeBytes());
  if (there >= needed || needed - there <= coming_free) return {};
  return Fail(Code::kTarget,
              fmt::format("needs {} bytes on its volume, there are {}: make room", needed, there + coming_free),
              image.Name());
}

Result<std::uint64_t> LeftoverBytes(images::ImageTree& tree) {
  std::uint64_t out = 0;
  for (const std::string& folder : Places()) out += PROV_TRY(tree.Leftover(folder)).value_or(0);
  return out;
}

Result<void> RemoveLeftovers(images::ImageTree& tree, Findings& findings) {
  for (const std::string& folder : Places()) {
    if (!PROV_TRY(tree.Leftover(folder))) continue;
    PROV_TRY(tree.RemoveLeftover(folder));
    AddInfo(findings, "leftover-removed", fmt::format("a run that was cut short left {} there", images::kTemporaryName),
            fmt::format("{}, {}", tree.Name(), folder.empty() ? "/" : folder));
  }
  return {};
}

}  // namespace prov::node
