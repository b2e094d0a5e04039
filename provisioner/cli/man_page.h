// The manual page: hand-written text, with every command and option from the option tables.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "provisioner/cli/options.h"

namespace prov::cli {

// The page, in the man macros of roff. `prose` is provisioner/provisioner.1.in: "@VERSION@" in it is replaced, and its
// line `.\" @COMMANDS@` by a section of the commands and one of the options that several of them have.
std::string ManPage(std::string_view prose, std::span<const CommandSpec> commands, std::string_view version);

// `text` escaped for the page, so that roff takes none of it for its own commands.
std::string RoffText(std::string_view text);

}  // namespace prov::cli
