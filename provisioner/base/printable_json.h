// JSON that may be shown on a terminal.
#pragma once

#include <string>

namespace prov {

// The document with each character that steers a terminal (as Printable() in text.h knows them) written as \uNNNN,
// which means the same. `json` is valid JSON and UTF-8; what is below U+007F is escaped in it already.
std::string PrintableJson(std::string json);

}  // namespace prov
