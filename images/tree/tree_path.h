// Names in trees, by the rules of Windows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::images {

// The names of a path, from the root. Errors: link (a name that is invalid on Windows).
Result<std::vector<std::string>> SplitTreePath(std::string_view path);

// Finds a name among others, without case.
class NameMatcher {
 public:
  explicit NameMatcher(std::string_view name);  // UTF-8
  bool Matches(std::string_view name) const;    // UTF-8; false if it is malformed
  bool Matches(std::u16string_view name) const;
  bool CanMatch(std::size_t units) const { return units == upper_.size(); }

 private:
  std::u16string upper_;
};

// The error for two names in a folder that differ only in case: it is unknown which one Windows would use.
std::unexpected<Error> TwoSpellings(std::string_view one, std::string_view other, const std::string& where);

}  // namespace prov::images
