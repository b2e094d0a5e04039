#include "provisioner/source/web_source.h"

#include <fmt/format.h>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/decision.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::source {
namespace {

constexpr std::string_view kHashFragment = "sha256=";
constexpr std::size_t kHashDigits = 64;

}  // namespace

Result<WebSource> ParseWebSource(const std::string& uri) {
  const auto refuse = [&uri](std::string_view why) {
    return Fail(Code::kScheme, std::string(why), egress::RedactUrl(uri));
  };
  WebSource out;
  const std::size_t hash = uri.find('#');
  out.url = uri.substr(0, hash);
  const auto target = egress::ParseRequestTarget(out.url);
  if (!target || target->host.empty()) return refuse("is not the URL of a document: https://HOST/PATH is expected");
  const std::size_t authority = out.url.find("://") + 3;
  const std::string_view host = std::string_view(out.url).substr(0, out.url.find_first_of("/?", authority));
  if (const std::size_t at = host.rfind('@'); at != std::string::npos && at >= authority) {
    // Redact the user name, too: it may be a token.
    return Fail(Code::kScheme,
                "has credentials in it, which logs and other processes would "
                "see; leave them out",
                egress::RedactUrl(out.url.substr(0, authority) + out.url.substr(at + 1)));
  }
  if (hash != std::string::npos) {
    const std::string fragment = uri.substr(hash + 1);
    out.hash = AsciiLower(fragment.substr(std::min(kHashFragment.size(), fragment.size())));
    const bool sound = fragment.starts_with(kHashFragment) && out.hash.size() == kHashDigits && FromHex(out.hash);
    if (!sound) return refuse("has a fragment that is not #sha256= with 64 hex digits");
  }
  if (target->scheme != "https" && out.hash.empty()) {
    return refuse(
        "anyone on the way can change a document that is read by http://; use https://, or add its hash: #sha256=…");
  }
  return out;
}

Result<void> CheckHash(const WebSource& source, std::string_view body) {
  if (source.hash.empty()) return {};
  const std::string actual = ToHex(Sha256(body));
  if (actual == source.hash) return {};
  return Fail(
      Code::kHashMismatch,
      fmt::format(
          "the document has the hash sha256={}, the source says sha256={}; find out who changed it, or correct the "
          "source",
          actual, source.hash),
      egress::RedactUrl(source.url));
}

}  // namespace prov::source
