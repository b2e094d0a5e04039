// The script of the page that `explain --html` writes. It contains no values, so that the page's
// Content-Security-Policy can allow it by its digest alone.
#pragma once

#include <string_view>

namespace prov::cli {

// The filter. The page shows all rows without it.
std::string_view ExplainPageScript();

}  // namespace prov::cli
