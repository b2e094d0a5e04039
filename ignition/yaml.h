// YAML as `oc get -o yaml` prints it, read into the same DOM as JSON.
#pragma once

#include <memory>
#include <string>

#include "ignition/json.h"

namespace prov::ignition {

// Plain scalars become null (~, null, empty), booleans (true, false), integers (decimal, 0x, 0o, 0b; a leading 0 is
// octal, as Kubernetes reads it) and floats, anything else is a string; quoted and block scalars always are. Refused as
// yaml: anchors, aliases, explicit tags, merge keys, keys that are no scalar or occur twice, several documents with
// content (unless they may be: then the root is an array of them), nesting beyond the limit. Errors have "line L,
// column C" (1-based) in `where`.
Result<std::unique_ptr<JsonDocument>> ParseYaml(std::string bytes, const Limits& limits,
                                                Documents documents = Documents::kOne);

}  // namespace prov::ignition
