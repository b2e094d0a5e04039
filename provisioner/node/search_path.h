// The machine's search path: with the program's folder in it, a shell that starts from now on finds `provisioner`. The
// folder comes last, so that it hides no other program, and only administrators can write it (Installation), so that
// nobody else can put one there for others to run. An entry for that folder is ours, whoever made it: the folder goes
// with the program, and the entry would lead nowhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provisioner/node/apply.h"

namespace prov::node {

// nullopt: `folder` is one of its entries already.
std::optional<std::string> WithFolder(std::string_view path, std::string_view folder);
// What WithFolder was given: each entry that names `folder` is left out.
std::string WithoutFolder(std::string_view path, std::string_view folder);

// The folder of the installed program. A machine without a search path, or with one that is no text, is left as it is.
// Whether anything was written.
Result<bool> AddToSearchPath(OpenNode& node);
// When the program goes.
Result<void> RemoveFromSearchPath(OpenNode& node);

}  // namespace prov::node
