#include "images/registry/hive_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "images/registry/hive_cells.h"
#include "images/registry/hive_format.h"
#include "images/registry/log_reader.h"
#include "images/registry/registry_key.h"

namespace prov::images {
namespace {

using regf::kBaseBlockBytes;
using regf::Load32;
using regf::Store32;

constexpr std::size_t kFlagsOffset = 144;
constexpr std::uint32_t kPendingTransactions = 1;  // the only flag that an entry carries

// Sequence numbers wrap around.
bool IsBefore(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

struct NamedLog {
  std::string_view name;
  regf::HiveLog log;

  std::uint32_t First() const { return log.first; }
  std::uint32_t End() const { return log.first + static_cast<std::uint32_t>(log.entries.size()); }
};

class Replayer {
 public:
  explicit Replayer(std::string hive)
      : hive_(std::move(hive)),
        begun_(Load32(hive_, 4)),
        ended_(Load32(hive_, 8)),
        bins_bytes_(Load32(hive_, 40)),
        flags_(Load32(hive_, kFlagsOffset)) {}

  Result<ReplayedHive> Replay(const HiveLogs& logs) {
    PROV_TRY(CheckHeader());
    Consider("LOG1", logs.log1);
    Consider("LOG2", logs.log2);
    if (usable_.empty()) return Refuse(fmt::format("{}", fmt::join(useless_, ", ")));
    // Windows alternates between the two logs.
    std::ranges::sort(usable_, IsBefore, &NamedLog::First);
    // The first entry may have a higher number than the hive: when both logs are full, Windows writes the older one's
    // changes to the hive's bins and reuses that log without changing the hive's header.
    const std::uint32_t first = usable_.front().First();
    next_ = first;
    for (const NamedLog& log : usable_) PROV_TRY(Apply(log));
    if (next_ == first) return Refuse(fmt::format("entry {}, the first one, is damaged", first));
    // Windows writes this number before it changes the bins. The replay must reach at least that state.
    if (IsBefore(next_, begun_))
      return Refuse(fmt::format("they end with entry {}, and the hive had got to {}", next_ - 1, begun_ - 1));
    WriteHeader(next_);
    return ReplayedHive{std::move(hive_), next_ - first, first, next_ - 1};
  }

 private:
  std::unexpected<Error> Refuse(std::string_view why) const {
    return Fail(Code::kDirtyHive,
                fmt::format("the hive was not closed cleanly (sequence numbers {} and {}), and its logs can't be "
                            "replayed: {}; {}",
                            begun_, ended_, why, regf::kDirtyHiveRemedy),
                "offset 0x4");
  }

  // Checks that everything but the sequence numbers is valid.
  Result<void> CheckHeader() {
    WriteHeader(begun_);
    base_ = PROV_TRY(regf::ReadBaseBlock(hive_));
    return {};
  }

  // Keeps a log that continues from the hive; otherwise keeps the reason why it does not.
  void Consider(std::string_view name, const std::optional<std::string>& bytes) {
    if (!bytes) {
      useless_.push_back(fmt::format("{} is not there", name));
      return;
    }
    Result<regf::HiveLog> log = regf::ReadLog(*bytes);
    if (!log) {
      useless_.push_back(fmt::format("{} {}", name, log.error().message));
    } else if (IsBefore(log->first, ended_)) {
      useless_.push_back(fmt::format("{} is older than the hive (it begins with entry {})", name, log->first));
    } else {
      usable_.push_back({name, *std::move(log)});
    }
  }

  Result<void> Apply(const NamedLog& log) {
    if (log.log.minor != base_.minor || log.log.root != base_.root)
      return Refuse(fmt::format("{} belongs to another hive (version or root key differ)", log.name));
    if (IsBefore(next_, log.First())) {
      return Refuse(fmt::format("entries {} to {} are missing or damaged, and {} goes on behind them", next_,
                                log.First() - 1, log.name));
    }
    if (log.First() != next_) {
      if (!IsBefore(next_, log.End())) return {};  // older entries are applied already
      return Refuse(fmt::format("both hold an entry {}", log.First()));
    }
    for (const regf::LogEntry& entry : log.log.entries) PROV_TRY(Apply(entry));
    next_ = log.End();
    return {};
  }

  Result<void> Apply(const regf::LogEntry& entry) {
    const std::size_t end = kBaseBlockBytes + entry.bins_bytes;
    if (end > hive_.size()) {
      if (end > kMaxHiveBytes) return Refuse(fmt::format("with entry {} it would exceed 1 GiB", entry.sequence));
      // Windows logs new bins completely. So a small log can't request much memory, and no bytes need to be made up.
      if (BytesFrom(hive_.size(), entry) < end - hive_.size())
        return Refuse(fmt::format("entry {} lacks pages of the bins that it adds", entry.sequence));
      hive_.resize(end);
    }
    for (const regf::LogPage& page : entry.pages)
      regf::StoreBytes(hive_.data() + kBaseBlockBytes + page.offset, page.bytes);
    bins_bytes_ = entry.bins_bytes;
    flags_ = (flags_ & ~kPendingTransactions) | (entry.flags & kPendingTransactions);
    return {};
  }

  // The number of an entry's bytes that belong after a place in the file.
  static std::size_t BytesFrom(std::size_t place, const regf::LogEntry& entry) {
    std::size_t bytes = 0;
    for (const regf::LogPage& page : entry.pages) {
      const std::size_t begin = kBaseBlockBytes + page.offset;
      const std::size_t end = begin + page.bytes.size();
      bytes += end - std::clamp(place, begin, end);
    }
    return bytes;
  }

  void WriteHeader(std::uint32_t sequence) {
    char* const base = hive_.data();
    Store32(base + 4, sequence);
    Store32(base + 8, sequence);
    Store32(base + 40, bins_bytes_);
    Store32(base + kFlagsOffset, flags_);
    Store32(base + 508, regf::BaseBlockChecksum(hive_));
  }

  std::string hive_;
  std::uint32_t begun_;  // the hive's original sequence numbers
  std::uint32_t ended_;
  std::uint32_t bins_bytes_;  // the new flags and size
  std::uint32_t flags_;
  regf::BaseBlock base_;
  std::vector<NamedLog> usable_;
  std::vector<std::string> useless_;
  std::uint32_t next_ = 0;  // sequence number of the next entry
};

}  // namespace

bool IsDirtyHive(std::string_view bytes) {
  const Result<regf::BaseBlock> base = regf::ReadBaseBlock(bytes);
  return !base && base.error().code == Code::kDirtyHive;
}

Result<ReplayedHive> ReplayLogs(std::string hive, const HiveLogs& logs) {
  if (!IsDirtyHive(hive)) return Fail(Code::kInternal, "only a hive that was not closed cleanly can be replayed");
  return Replayer(std::move(hive)).Replay(logs);
}

}  // namespace prov::images
