// Finds typographic quotes, dashes and blanks in manifests that were pasted from a web page or a word processor. YAML
// reads them as ordinary characters: a value keeps its quotes, a list item becomes text.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/finding.h"

namespace prov::router {

// Adds router-typography for each line with such characters outside of comments: an error if one is in the place of
// YAML's own syntax, else a warning. Returns whether there was an error.
bool FindTypography(std::string_view text, const std::string& where, Findings& out);

// The text with plain characters in their place, so that the rest of the file can be checked.
std::string WithoutTypography(std::string_view text);

}  // namespace prov::router
