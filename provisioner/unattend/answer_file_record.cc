#include "provisioner/unattend/answer_file_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/text.h"

namespace prov::unattend {
namespace {

constexpr std::string_view kVersion = "1";
// By AnswerLevel; the root is never ours.
constexpr std::array<std::string_view, 5> kLevels = {"", "settings", "component", "list", "item"};
constexpr std::string_view kReopened = "reopened";
constexpr std::string_view kOpen = "open";
constexpr std::string_view kPadded = "padded";
constexpr std::string_view kBare = "bare";

}  // namespace

std::string WriteRecord(const AnswerFileRecord& record) {
  return fmt::format("{} {} {} {} {}", kVersion, kLevels[static_cast<std::size_t>(record.made)], record.architecture,
                     record.reopened ? kReopened : kOpen, record.padded ? kPadded : kBare);
}

Result<AnswerFileRecord> ReadRecord(std::string_view line, std::string_view where) {
  const auto damaged = Fail(Code::kManifest,
                            "the record of what was added to the answer file is damaged or of a newer version; take "
                            "the command out by hand",
                            std::string(where));
  const std::vector<std::string_view> words = Split(line, ' ');
  if (words.size() != 5 || words[0] != kVersion || words[1].empty()) return damaged;
  const auto level = std::ranges::find(kLevels, words[1]);
  if (level == kLevels.end() || (words[3] != kReopened && words[3] != kOpen) ||
      (words[4] != kPadded && words[4] != kBare))
    return damaged;
  return AnswerFileRecord{static_cast<AnswerLevel>(level - kLevels.begin()), std::string(words[2]),
                          words[3] == kReopened, words[4] == kPadded};
}

}  // namespace prov::unattend
