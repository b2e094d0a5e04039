// The tables of errors and findings: every entry has whole sentences, and every code is used by the program.
#include "provisioner/base/finding_table.h"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "provisioner/base/error.h"
#include "provisioner/base/file.h"
#include "provisioner/base/finding.h"
#include "tests/support/paths.h"

namespace prov {
namespace {

namespace fs = std::filesystem;

using Severities = std::map<std::string, std::set<Severity>, std::less<>>;  // by the name of the code

// Begins with a capital letter, or with the name of a program that has none, and ends with a full stop: half a sentence
// does neither.
bool IsWhole(std::string_view sentences) {
  const bool begins =
      std::isupper(static_cast<unsigned char>(sentences.front())) != 0 || sentences.starts_with("containerd ");
  return sentences.size() > 10 && begins && sentences.back() == '.';
}

TEST(Codes, HaveAMeaningAndARemedyInWholeSentences) {
  for (const CodeInfo& info : AllCodes()) {
    EXPECT_TRUE(IsWhole(info.meaning)) << info.name << ": " << info.meaning;
    EXPECT_TRUE(IsWhole(info.remedy)) << info.name << ": " << info.remedy;
  }
  for (const FindingInfo& info : AllFindings()) {
    EXPECT_TRUE(IsWhole(info.meaning)) << info.name << ": " << info.meaning;
    EXPECT_TRUE(IsWhole(info.remedy)) << info.name << ": " << info.remedy;
    EXPECT_EQ(info.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), info.name.npos) << info.name;
  }
}

TEST(FindingCode, IsTheNameThatTheTableHas) {
  Findings findings;
  AddWarning(findings, "private-key", "message", "place");
  AddInfo(findings, "probe", "message");
  EXPECT_EQ(findings[0].code, "private-key");
  EXPECT_EQ(FindingCode("private-key").name(), findings[0].code);
  EXPECT_TRUE(HasFinding(findings, "probe"));
  EXPECT_FALSE(HasFinding(findings, "trial"));
  DropFindings(findings, "probe");
  EXPECT_EQ(findings, (Findings{{Severity::kWarning, "private-key", "message", "place"}}));
}

// Where the call or the braces begin in which `before` ends.
std::size_t OpenAt(std::string_view before) {
  int closed = 0;
  for (std::size_t at = before.size(); at-- > 0;) {
    if (before[at] == ')' || before[at] == '}') ++closed;
    if ((before[at] == '(' || before[at] == '{') && closed-- == 0) return at;
  }
  return std::string_view::npos;
}

// How grave the finding is whose code stands behind `before`: the text of a call up to its code. None where it is no
// call that makes a finding.
std::optional<Severity> SeverityOf(std::string_view before) {
  const std::size_t open = OpenAt(before);
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view arguments = before.substr(open + 1);
  if (arguments.find(';') != std::string_view::npos) return std::nullopt;
  if (arguments.find("Severity::kInfo") != std::string_view::npos) return Severity::kInfo;
  if (arguments.find("Severity::kWarning") != std::string_view::npos) return Severity::kWarning;
  if (arguments.find("Severity::kError") != std::string_view::npos) return Severity::kError;
  const std::string_view called = before.substr(0, open);
  if (called.ends_with("FindingCode")) return SeverityOf(called);  // one of two codes
  for (const std::string_view info : {"AddInfo", "Inform"}) {
    if (called.ends_with(info)) return Severity::kInfo;
  }
  for (const std::string_view warning : {"AddWarning", "Warn", "left_out_.Add"}) {
    if (called.ends_with(warning)) return Severity::kWarning;
  }
  if (called.ends_with("AddError")) return Severity::kError;
  return std::nullopt;
}

// Notes each literal of `text` that is the code of a finding which is made there.
void NoteCodes(std::string_view text, Severities& out) {
  constexpr std::size_t kLongestCall = 120;
  for (std::size_t open = text.find('"'); open != std::string_view::npos; open = text.find('"', open + 1)) {
    const std::size_t end = text.find('"', open + 1);
    if (end == std::string_view::npos) return;
    const std::string_view name = text.substr(open + 1, end - open - 1);
    const auto row = out.find(name);
    if (row == out.end()) continue;
    const std::size_t from = open < kLongestCall ? 0 : open - kLongestCall;
    if (const auto severity = SeverityOf(text.substr(from, open - from))) row->second.insert(*severity);
  }
}

// What the sources of the program use.
Severities CodesOfTheSources() {
  Severities out;
  for (const FindingInfo& info : AllFindings()) out.emplace(info.name, std::set<Severity>());
  const fs::path root = fs::path(testing_support::TestsFolder()).parent_path();
  for (const char* const folder : {"provisioner", "ignition", "images"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const fs::path& path = entry.path();
      if (path.stem() == "finding_table" || (path.extension() != ".cc" && path.extension() != ".h")) continue;
      NoteCodes(ReadFile(path.string(), 1U << 24U).value(), out);
    }
  }
  return out;
}

// That each code of the sources is in the table is the compiler's business.
TEST(FindingCode, EachIsUsedWithTheSeveritiesOfTheTable) {
  const Severities used = CodesOfTheSources();
  for (const FindingInfo& info : AllFindings()) {
    for (const Severity severity : {Severity::kInfo, Severity::kWarning, Severity::kError}) {
      EXPECT_EQ(used.find(info.name)->second.contains(severity), info.CanBe(severity))
          << info.name << ": whether the sources use it as " << NameOf(severity) << ", and whether the table says so";
    }
  }
}

}  // namespace
}  // namespace prov
