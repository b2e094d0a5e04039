#include "provisioner/source/source_time.h"

#include <fmt/format.h>

#include <algorithm>

namespace prov::source {

void SourceTime::Spend(std::int64_t seconds) {
  constexpr std::int64_t kSlack = 30;
  if (seconds < 0 || seconds > left_ + kSlack) return;
  left_ -= static_cast<int>(std::min<std::int64_t>(seconds, left_));
}

std::string SourceTime::Words() const {
  return fmt::format("a source, with all that it refers to, may take {} seconds (--source-timeout)", whole_);
}

}  // namespace prov::source
