// Text for HTML pages.
#pragma once

#include <string>
#include <string_view>

namespace prov::cli {

// `text` as the content of an element or of an attribute in quotes: nothing in it is markup. Control characters,
// bidirectional overrides and malformed UTF-8 are shown as Printable() writes them.
std::string HtmlText(std::string_view text);

// The source expression with which a Content-Security-Policy allows just this script or style: 'sha256-…'.
std::string PolicySource(std::string_view content);

}  // namespace prov::cli
