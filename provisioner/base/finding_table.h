// The table of findings: the code, possible severities, meaning and remedy of each. The documentation's reference and
// `provisioner explain-code` are generated from it.
#pragma once

#include <span>
#include <string_view>

#include "provisioner/base/finding.h"

namespace prov {

struct FindingInfo {
  std::string_view name;
  unsigned severities;       // a bit for each possible severity, and kLimit
  std::string_view meaning;  // whole sentences
  std::string_view remedy;   // whole sentences: what to do

  // A known limit of clients or of the output: what every such list, or every such output, has, and the settings can't
  // mend. Text has one line for all of them.
  static constexpr unsigned kLimit = 8;

  constexpr bool CanBe(Severity severity) const { return ((severities >> static_cast<unsigned>(severity)) & 1U) != 0; }
};

// A row for each of kFindingCodes, in their order.
std::span<const FindingInfo> AllFindings();

// The row of a code; nullptr where there is none, as for a Finding without a code.
const FindingInfo* InfoOf(std::string_view code);

}  // namespace prov
