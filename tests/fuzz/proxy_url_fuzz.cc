// Proxy URLs: whatever the text, nothing that may be a password reaches an error, a finding or the redacted form; what
// is accepted means one host and port, also without its credentials. Each byte 0x01 of the input stands for a secret.
#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using egress::ProxyUrl;
using egress::ProxyVariable;

constexpr std::string_view kSecret = "c4nAry";
constexpr std::string_view kWhere = "proxy.env: HTTP_PROXY";

// The userinfo by RFC 3986: between "//" (or the start) and the last '@' before the path.
std::string_view RawPassword(std::string_view text) {
  const std::size_t slashes = text.find("://");
  if (slashes != std::string_view::npos) text.remove_prefix(slashes + 3);
  text = text.substr(0, text.find_first_of("/?#"));
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return {};
  text = text.substr(0, at);
  const std::size_t colon = text.find(':');
  return colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
}

// The text with another password.
std::string WithOtherPassword(const std::string& text) {
  std::string out = text;
  const std::string_view raw = RawPassword(text);
  if (!raw.empty()) out.replace(static_cast<std::size_t>(raw.data() - text.data()), raw.size(), "another");
  return out;
}

void CheckAccepted(const ProxyUrl& url, ProxyVariable variable, const std::string& text) {
  FUZZ_CHECK(url.Text().Reveal() == text);
  FUZZ_CHECK(url.scheme() == "http" || (url.scheme() == "https" && variable == ProxyVariable::kHttps));
  FUZZ_CHECK(!url.host().empty() && url.port() > 0);
  FUZZ_CHECK(url.host().find_first_of("@/?#[]% \"'<>\\;=,") == std::string::npos);
  FUZZ_CHECK(Printable(url.host()) == url.host());
  FUZZ_CHECK(url.host() == AsciiLower(url.host()));
  if (!url.has_credentials()) FUZZ_CHECK(url.username().empty() && url.password().empty());
  const std::string redacted = url.Redacted();
  FUZZ_CHECK(redacted == egress::RedactUrl(text));
  // What may be shown does not depend on the password, unless the same bytes stand elsewhere, too, and are hidden
  // there.
  const std::string other = WithOtherPassword(text);
  const bool elsewhere = Holds(other, RawPassword(text)) || Holds(other, url.password().Reveal());
  if (!elsewhere) FUZZ_CHECK(redacted == egress::RedactUrl(other));
  Findings findings;
  const auto bare = egress::ParseProxyUrl(url.WithoutCredentials(), variable, kWhere, findings);
  FUZZ_CHECK(bare && !bare->has_credentials());
  FUZZ_CHECK(bare->scheme() == url.scheme() && bare->HostPort() == url.HostPort());
  const auto plain = egress::ParseProxyUrl(Secret("http://" + url.HostPort()), variable, kWhere, findings);
  FUZZ_CHECK(plain && plain->HostPort() == url.HostPort());
}

void CheckParse(const std::string& text, ProxyVariable variable) {
  Findings findings;
  const auto url = egress::ParseProxyUrl(Secret(text), variable, kWhere, findings);
  CheckFindings(findings);
  FUZZ_CHECK(!Holds(findings, kSecret));
  if (url) {
    CheckAccepted(*url, variable, text);
    return;
  }
  CheckError(url.error());
  FUZZ_CHECK(url.error().code == Code::kProxyUrl || url.error().code == Code::kFailOpen);
  FUZZ_CHECK(url.error().where == kWhere);
  FUZZ_CHECK(!Holds(url.error(), kSecret));
  FUZZ_CHECK(findings.empty());
}

// In "A:SECRET…", whatever surrounds it, the secret may be a password.
void CheckRedaction(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || Holds(text, kSecret)) return;
  const std::string_view scheme =
      text.substr(colon).starts_with("://") ? text.substr(0, colon + 3) : std::string_view();
  const std::size_t place = text.find(':', scheme.size());
  if (place == std::string_view::npos) return;
  std::string with(text.substr(0, place + 1));
  with.append(kSecret).append(text.substr(place + 1));
  FUZZ_CHECK(!Holds(egress::RedactUrl(with), kSecret));
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string text = PlantSecrets(TextOf(data, size), kSecret);
  CheckParse(text, ProxyVariable::kHttp);
  CheckParse(text, ProxyVariable::kHttps);
  CheckRedaction(TextOf(data, size));
  const std::string redacted = prov::egress::RedactUrl(text);
  FUZZ_CHECK(redacted.size() <= text.size() + 16);
  // What follows a ':' before the last '@' goes.
  const std::size_t first = text.find(':');
  const bool scheme = first != std::string::npos && std::string_view(text).substr(first).starts_with("://");
  const std::size_t colon = text.find(':', scheme ? first + 3 : 0);
  const std::size_t at = text.rfind('@');
  const bool in_password = colon != std::string::npos && at != std::string::npos && colon < at &&
                           Holds(std::string_view(text).substr(colon, at - colon), kSecret) &&
                           !Holds(std::string_view(text).substr(0, colon), kSecret) &&
                           !Holds(std::string_view(text).substr(at), kSecret);
  if (in_password) FUZZ_CHECK(!Holds(redacted, kSecret));
  return 0;
}
