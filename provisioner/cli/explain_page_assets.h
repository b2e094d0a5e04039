// The constant parts of the page that `explain --html` writes. They contain no values, so that the page's
// Content-Security-Policy can allow them by their digests alone.
#pragma once

#include <string_view>

namespace prov::cli {

// Colours follow prefers-color-scheme; the layout suits phones and desktops.
std::string_view ExplainPageStyle();
// The filter. The page shows all rows without it.
std::string_view ExplainPageScript();

}  // namespace prov::cli
