// Findings: facts about a usable input that its user should know. They are returned together with a value, never
// instead of an Error.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/finding_codes.h"

namespace prov {

enum class Severity { kInfo, kWarning, kError };

std::string_view NameOf(Severity severity);  // "info", "warning", "error"

// Never defined. The compiler's error names this function if a code is not in kFindingCodes.
void ThisCodeIsNotAmongTheFindingCodes();

// One of kFindingCodes. It is constructed from a literal; a literal that is not in the list does not compile.
class FindingCode {
 public:
  consteval FindingCode(const char* name) : name_(Listed(name)) {}

  // Valid as long as the program.
  constexpr std::string_view name() const { return name_; }

 private:
  static consteval std::string_view Listed(std::string_view name) {
    const auto* const code = std::ranges::find(kFindingCodes, name);
    if (code == std::end(kFindingCodes)) ThisCodeIsNotAmongTheFindingCodes();
    return *code;
  }

  std::string_view name_;
};

// `code` is the name of a FindingCode; `message` and `where` follow the rules of Error (no secrets, may hold input
// bytes).
struct Finding {
  Finding() = default;
  Finding(Severity how_grave, FindingCode what, std::string text, std::string place = {})
      : severity(how_grave), code(what.name()), message(std::move(text)), where(std::move(place)) {}

  Severity severity = Severity::kWarning;
  std::string_view code;
  std::string message;
  std::string where;

  bool operator==(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

inline void AddInfo(Findings& out, FindingCode code, std::string message, std::string where = {}) {
  out.emplace_back(Severity::kInfo, code, std::move(message), std::move(where));
}
inline void AddWarning(Findings& out, FindingCode code, std::string message, std::string where = {}) {
  out.emplace_back(Severity::kWarning, code, std::move(message), std::move(where));
}
inline void AddError(Findings& out, FindingCode code, std::string message, std::string where = {}) {
  out.emplace_back(Severity::kError, code, std::move(message), std::move(where));
}

// Whether the finding is a known limit (FindingInfo::kLimit) and no error.
bool IsLimit(const Finding& finding);
// The codes of the known limits among the findings, each once.
std::vector<std::string_view> LimitsIn(const Findings& findings);

// What the table says to do about a finding.
std::string_view RemedyOf(const Finding& finding);
// Whether a finding has this code.
bool HasFinding(const Findings& findings, FindingCode code);
// Removes the findings with this code.
void DropFindings(Findings& findings, FindingCode code);

// Adds findings to `out`, at most 20 of each code, so that a hostile input can't fill memory and screen. The destructor
// adds one more finding per code that counts the rest, with `where` as its place.
class CappedFindings {
 public:
  static constexpr std::size_t kMost = 20;

  CappedFindings(Findings& out, std::string_view where) : out_(out), where_(where) {}
  CappedFindings(const CappedFindings&) = delete;
  CappedFindings& operator=(const CappedFindings&) = delete;
  ~CappedFindings();

  void Add(Severity severity, FindingCode code, std::string message, std::string where);
  void Warn(FindingCode code, std::string message, std::string where) {
    Add(Severity::kWarning, code, std::move(message), std::move(where));
  }

 private:
  struct Kind {
    FindingCode code;
    Severity severity = Severity::kInfo;
    std::size_t count = 0;
  };

  Findings& out_;
  std::string_view where_;
  std::vector<Kind> kinds_;
};

}  // namespace prov
