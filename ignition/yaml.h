// YAML as `oc get -o yaml` prints it, parsed into the same tree as JSON.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "provisioner/base/json.h"

namespace prov::ignition {

// Whether a text may hold more than one document.
enum class Documents { kOne, kSeveral };

// Parses YAML. Plain scalars become null (~, null, empty), booleans (true, false), integers (decimal, 0x, 0o, 0b; a
// leading 0 is octal, as Kubernetes reads it) and floats; other plain scalars, and all quoted and block scalars, are
// strings. Refuses (yaml): anchors, aliases, explicit tags, merge keys, keys that are not scalars or are repeated,
// several documents with content (with kSeveral the root is an array of them), nesting beyond the limit. Errors have
// "line L, column C" (1-based) in `where`.
Result<std::unique_ptr<JsonDocument>> ParseYaml(std::string bytes, const JsonLimits& limits,
                                                Documents documents = Documents::kOne);

// Parses JSON or YAML, detected by the first character that is not blank ('{' or '[' is JSON), in UTF-8 or UTF-16
// (DecodeMarked). With kSeveral the text may hold values of JSON in a row, as jq prints them, YAML documents, or both:
// YAML goes to the next line that begins with '{' or '[', so it needs no "---" before JSON. The root is then an array
// of them, and each must be an object or an array where any is JSON.
Result<std::unique_ptr<JsonDocument>> ParseJsonOrYaml(std::string bytes, const JsonLimits& limits,
                                                      Documents documents = Documents::kOne);

// Whether the first character that is not blank is '{' or '['.
bool BeginsAsJson(std::string_view bytes);

}  // namespace prov::ignition
