// Typographic quotes, dashes and blanks in manifests that were pasted from a web page or a word processor. YAML treats
// them as ordinary characters: a value keeps its quotes, a list item becomes a text.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/finding.h"

namespace prov::router {

// Adds router-typography for each line that holds some outside of a comment: an error where one stands in the place of
// YAML's own characters, else a warning. Whether there was an error.
bool FindTypography(std::string_view text, const std::string& where, Findings& out);

// The text with plain characters in their place, so that the rest of such a file can be checked.
std::string WithoutTypography(std::string_view text);

}  // namespace prov::router
