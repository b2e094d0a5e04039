// The constant parts of the page that `explain --html` writes. No value is rendered into either of them, so the page's
// Content-Security-Policy can allow them by their digests and nothing else.
#pragma once

#include <string_view>

namespace prov::cli {

// Colours by prefers-color-scheme, the layout for phones and desktops.
std::string_view ExplainPageStyle();
// The filter. Without it the page shows everything.
std::string_view ExplainPageScript();

}  // namespace prov::cli
