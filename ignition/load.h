// Merges a parsed config with the configs that it refers to: versions, `replace`, `merge`, `append`.
#pragma once

#include <memory>
#include <string>

#include "ignition/fetcher.h"
#include "ignition/limits.h"
#include "ignition/merged_config.h"
#include "provisioner/base/finding.h"
#include "provisioner/base/json.h"
#include "provisioner/base/result.h"

namespace prov::ignition {

// Resolves `root` (a config inside `document`, at the JSON path `prefix`) and all its references. Adds findings about
// versions. `fetcher` may be null. Errors: version, type, invalid-config, duplicate-path, merge-remote, and those of
// ReadResource() and ParseJson() for referenced configs, after the path of the reference.
Result<std::unique_ptr<const MergedConfig>> LoadConfig(std::unique_ptr<JsonDocument> document, const JsonValue& root,
                                                       const std::string& prefix, const Limits& limits,
                                                       Fetcher* fetcher, Findings& findings);

}  // namespace prov::ignition
