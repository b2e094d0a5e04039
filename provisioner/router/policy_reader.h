// Reads the texts in which routers are written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/router/router_policy.h"
#include "provisioner/router/router_variables.h"

namespace prov::router {

// The EGRESS_* assignments of an environment file; ignores others. Findings: env-line, env-duplicate. Errors:
// destination (an unterminated quote), those of ParseEnvironmentFile().
Result<Variables> ReadAssignments(std::string_view bytes, const std::string& where, Findings& findings);

// The kind of router that an invalid list resembles most.
RouterKind LikelyKind(std::string_view text);

// Reads a plain list. Without `kind`, the lines decide. Errors: destination; kind if they fit several routers.
Result<RouterPolicy> ReadList(std::string_view text, const std::string& where, std::optional<RouterKind> kind);

}  // namespace prov::router
