// What commands print when they fail, or for people: often saved or piped in the place of a document.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prov {

// Says that a command gave this error: a message that begins with its verb (sentence.h). Shows it if it has no URL.
std::string DescribeErrorMessage(std::string_view message);

// The same for an error message of oc or kubectl, or the table that they and az print for people. nullopt: neither.
// Reads the first two lines only, also in the UTF-16 of PowerShell's >.
std::optional<std::string> DescribeCommandOutput(std::string_view text);

}  // namespace prov
