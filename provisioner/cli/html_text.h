// Text for HTML pages.
#pragma once

#include <string>
#include <string_view>

namespace prov::cli {

// Escapes `text` for the content of an element or of a quoted attribute. Control characters, bidirectional overrides
// and malformed UTF-8 appear as Printable() writes them.
std::string HtmlText(std::string_view text);

// The source expression with which a Content-Security-Policy allows only this script or style: 'sha256-…'.
std::string PolicySource(std::string_view content);

}  // namespace prov::cli
