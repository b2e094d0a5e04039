// Versions of the Ignition spec.
#pragma once

#include <string_view>

#include "provisioner/base/result.h"

namespace prov::ignition {

// The newest spec that this program knows completely. The spec of files has not changed since 3.1.
constexpr unsigned kNewestMinor = 6;

struct SpecVersion {
  unsigned major = 3;  // 2 or 3
  unsigned minor = 0;

  bool AllowsSha256() const { return major == 3 && minor >= 1; }
  bool IsOld() const { return major == 2 && minor < 2; }               // read as 2.2
  bool IsNewer() const { return major == 3 && minor > kNewestMinor; }  // read as the newest known
};

// Accepts 2.0.0 to 2.2.0, 3.N.0, and 3.N.0-experimental for N beyond the newest known. Errors: version.
Result<SpecVersion> ParseSpecVersion(std::string_view text, std::string_view where);

}  // namespace prov::ignition
