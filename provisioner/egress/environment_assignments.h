// What the readers of environment files and of units share: the valid names, and collecting the assignments.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/egress/environment_file.h"

namespace prov::egress {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

inline bool IsEnvironmentBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Whether systemd accepts `text`: UTF-8 without noncharacters (U+FFFE, U+FFFF and their like in other planes, U+FDD0 to
// U+FDEF).
bool IsSystemdText(std::string_view text);

bool IsVariableName(std::string_view name);  // [A-Za-z_][A-Za-z0-9_]*

std::string AtLine(std::string_view where, std::size_t line);  // "where, line N"

// Reports (env-name) a name that systemd drops. Quotes it only if it can't be a part of a value.
void ReportVariableName(std::string_view name, std::string_view where, std::size_t line, CappedFindings& findings);

// Says that only the name in upper case counts.
std::string DescribeLowerCase(std::string_view name);

// The assignments in the order in which names first appear, with the last value of each; reports env-lower-case and
// env-duplicate. `where` and `findings` must outlive it.
class Assignments {
 public:
  Assignments(std::string_view where, CappedFindings& findings) : where_(where), findings_(findings) {}

  void Set(std::string name, std::string value, std::size_t line);  // `name` is valid, `value` is UTF-8
  void Clear();
  std::vector<Assignment> Release() && { return std::move(all_); }

 private:
  std::string_view where_;
  CappedFindings& findings_;
  std::vector<Assignment> all_;
  std::unordered_map<std::string, std::size_t> index_;  // name to position in all_
};

}  // namespace prov::egress
