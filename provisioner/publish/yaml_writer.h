// Writes a document as readable YAML: indented blocks, multi-line texts as they are. The same document gives the same
// bytes, and every YAML reader (1.1 and 1.2) reads back what was written.
#pragma once

#include <string>

#include "provisioner/publish/objects.h"

namespace prov::publish {

// Members in their order, sequences at the indentation of their key, a final line feed. A text is quoted where any
// reader could take it for something else. Bytes that are not UTF-8 become U+FFFD. `value` is an object or an array; no
// key occurs twice in an object.
std::string WriteYaml(const JsonValue& value);

// What ReadManifest() read: "---" stands before each of several documents.
std::string WriteManifest(const Object& object);

}  // namespace prov::publish
