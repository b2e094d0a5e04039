// Writes a document as readable YAML: indented blocks, multi-line texts as they are. The same document gives the same
// bytes, and every YAML reader (1.1 and 1.2) reads back what was written.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/publish/objects.h"

namespace prov::publish {

// Members in their order, sequences at the indentation of their key, a final line feed. A text is quoted where any
// reader could take it for something else. Errors: too-large (a key of more than 1,000 bytes, which no reader must
// take), json (a key that occurs twice).
Result<std::string> WriteYaml(const JsonValue& object);

// What ReadManifest() read: "---" stands before each of several documents.
Result<std::string> WriteManifest(const Object& object);

// The same document as indented JSON, as `oc get -o json` prints it, with a final line feed.
std::string WriteJson(const JsonValue& object);

// One text as a scalar on its key's line; `indent` is the column of that key's mapping.
std::string YamlScalar(std::string_view text, std::size_t indent);

}  // namespace prov::publish
