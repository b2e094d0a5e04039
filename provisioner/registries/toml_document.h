// TOML as registries.conf and hosts.toml are written in. Includes the whole of toml++: only the files that read these
// two include it.
#pragma once

#define TOML_EXCEPTIONS 0
// toml++ 3.3 asserts, and with NDEBUG assumes, that a table's name begins as a key, and only then checks it: "[[["
// would end the program. Without both it finds the fault itself.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::registries {

// The document as a tree that knows the place of each node. Errors: registries, with line and column in `where`;
// too-large.
Result<toml::table> ParseToml(std::string_view text, const std::string& where);

// "FILE: line 3, column 7".
std::string PlaceIn(const std::string& where, const toml::source_region& region);

}  // namespace prov::registries
