#include "provisioner/cli/html_text.h"

#include <fmt/format.h>

#include "provisioner/base/base64.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"

namespace prov::cli {

std::string HtmlText(std::string_view text) { return EscapeMarkup(Printable(text), true); }

std::string PolicySource(std::string_view content) { return fmt::format("'sha256-{}'", EncodeBase64(Sha256(content))); }

}  // namespace prov::cli
