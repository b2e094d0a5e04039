#include "provisioner/cli/html_text.h"

#include <fmt/format.h>

#include "provisioner/base/base64.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"

namespace prov::cli {

std::string HtmlText(std::string_view text) {
  const std::string printable = Printable(text);
  std::string out;
  out.reserve(printable.size());
  for (const char c : printable) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string PolicySource(std::string_view content) { return fmt::format("'sha256-{}'", EncodeBase64(Sha256(content))); }

}  // namespace prov::cli
