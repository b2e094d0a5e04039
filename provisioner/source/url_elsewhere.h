// Where a text may have the proxy's URL besides the variables that count. Such a text must not be taken for one without
// a proxy: nodes would lose theirs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "provisioner/egress/egress_config.h"
#include "provisioner/egress/environment_file.h"

namespace prov::source {

// The first assignment of a URL to HTTP_PROXY or HTTPS_PROXY in another case, where neither has one itself; nullptr:
// none.
const egress::Assignment* UrlInOtherCase(std::span<const egress::Assignment> assignments,
                                         const egress::EgressConfig& config);

// Refuses such an assignment. `text` is "the environment file". Errors: kind.
Result<void> RefuseUrlInOtherCase(std::string_view text, std::span<const egress::Assignment> assignments,
                                  const std::string& where, const egress::EgressConfig& config);

// Refuses lines of scripts in an environment file: with a URL where no variable that counts has one, with any of the
// three where none is there. Errors: kind.
Result<void> RefuseScriptLines(std::string_view text, const std::string& where, const egress::EgressConfig& config);

// Looks at the other lines of a unit: reports PassEnvironment= and an Environment= outside [Service] (not-read).
// Errors: invalid-config for an UnsetEnvironment= of one of the three.
Result<void> ReadOtherUnitLines(std::string_view unit, const std::string& where, egress::EgressConfig& config);

}  // namespace prov::source
