// Names in trees, as Windows understands them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::images {

// The names of a path, the root's first. Errors: link (one of them is none on Windows).
Result<std::vector<std::string>> SplitTreePath(std::string_view path);

// Finds one name among others, without case.
class NameMatcher {
 public:
  explicit NameMatcher(std::string_view name);  // UTF-8
  bool Matches(std::string_view name) const;    // UTF-8; false for what is not
  bool Matches(std::u16string_view name) const;
  bool CanMatch(std::size_t units) const { return units == upper_.size(); }

 private:
  std::u16string upper_;
};

// The error for two names in one folder that differ only in case: nobody can tell which one Windows would use.
std::unexpected<Error> TwoSpellings(std::string_view one, std::string_view other, const std::string& where);

}  // namespace prov::images
