// The codes of findings, as tests compare them.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "provisioner/base/finding.h"

namespace prov::testing_support {

// The code of each finding, in their order.
inline std::vector<std::string> CodesOf(const Findings& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings) out.emplace_back(finding.code);
  return out;
}

// The same with the severity: "error router-mode".
inline std::vector<std::string> SeverityAndCodesOf(const Findings& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings) out.push_back(fmt::format("{} {}", NameOf(finding.severity), finding.code));
  return out;
}

// Of findings among which one has this code.
inline auto HasCode(const std::string& code) { return testing::Contains(testing::Field(&Finding::code, code)); }

}  // namespace prov::testing_support
