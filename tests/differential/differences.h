// The intended differences from Go, each with its reason. A differing row that none of them explains is a defect.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tests/differential/go_answer.h"
#include "tests/differential/proxy_rows.h"

namespace prov::differential {

struct Answer {
  enum class Kind { kBadUrl, kBadNoProxy, kDirect, kRefusedProxy, kProxy };

  Kind kind = Kind::kDirect;
  std::string proxy;  // scheme, host, port, user and password, for comparing
};

struct Difference {
  std::string_view rule;
  std::string_view reason;
  // Looks at the row and at what Go made of it, never at our reasons for a refusal.
  bool (*explains)(const Row& row, const Answer& ours, const GoAnswer& go);
};

std::span<const Difference> IntendedDifferences();

}  // namespace prov::differential
