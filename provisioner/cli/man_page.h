// The manual page: hand-written text, with all commands and options from the option tables.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "provisioner/cli/options.h"

namespace prov::cli {

// The page in roff's man macros. `prose` is provisioner/provisioner.1.in. Its "@VERSION@" is replaced by the version,
// and its line `.\" @COMMANDS@` by a section of the commands and one of the options that several commands have.
std::string ManPage(std::string_view prose, std::span<const CommandSpec> commands, std::string_view version);

// `text` escaped so that roff reads no part of it as a command.
std::string RoffText(std::string_view text);

}  // namespace prov::cli
