// Writes a document as readable YAML: indented blocks, multi-line texts as literal blocks. The same document gives the
// same bytes, and every YAML reader (1.1 and 1.2) gets the same document back.
#pragma once

#include <string>

#include "provisioner/publish/objects.h"

namespace prov::publish {

// Writes members in order, sequences at the indentation of their key, and a final line feed. Quotes a text that any
// reader could read as something else. Bytes that are not UTF-8 become U+FFFD. `value` must be an object or an array
// without repeated keys.
std::string WriteYaml(const JsonValue& value);

// Writes the result of ReadManifest(), with "---" before each of several documents.
std::string WriteManifest(const Object& object);

}  // namespace prov::publish
