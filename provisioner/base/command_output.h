// What commands print when they fail, or for people: often saved or piped in the place of a document.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prov {

// Says that the text is an error message of oc or kubectl, or the table that they print without -o: a message that
// begins with its verb (sentence.h). nullopt: neither. Reads the first line only, also in the UTF-16 of PowerShell's >.
std::optional<std::string> DescribeCommandOutput(std::string_view text);

}  // namespace prov
