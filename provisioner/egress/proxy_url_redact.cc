// RedactUrl: hiding what may be a password in anything that resembles a URL.
#include <array>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/egress/ip_address.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::egress {
namespace {

constexpr std::string_view kHidden = "***";
constexpr std::string_view kSchemeEnd = "://";

bool AllDigits(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

// Where a ':' or its escape begins and how long it is; npos if there is none.
std::pair<std::size_t, std::size_t> FindColon(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':') return {i, 1};
    if (text[i] == '%' && EqualsIgnoreAsciiCase(text.substr(i, 3), "%3a")) return {i, 3};
  }
  return {std::string_view::npos, 0};
}

// Where the userinfo may begin: behind "scheme://" if the scheme is one that proxies have. Any other start may be a
// user name.
std::size_t UserinfoStart(std::string_view text) {
  constexpr std::array<std::string_view, 8> kSchemes = {"http",    "https",  "socks",   "socks4",
                                                        "socks4a", "socks5", "socks5h", "ftp"};
  const std::size_t end = text.find(kSchemeEnd);
  if (end == std::string_view::npos) return 0;
  for (const std::string_view scheme : kSchemes) {
    if (EqualsIgnoreAsciiCase(text.substr(0, end), scheme)) return end + kSchemeEnd.size();
  }
  return 0;
}

// What follows the userinfo: a port number stays, anything else after a ':' and every query and fragment goes.
std::string RedactHostPart(std::string_view text) {
  std::string out;
  const std::size_t query = text.find_first_of("?#");
  std::string_view host = text.substr(0, query);
  // No host has an escape, so this is rather a password whose '@' is escaped.
  if (host.substr(0, host.find('/')).find('%') != std::string_view::npos) return std::string(kHidden);
  std::size_t from = 0;
  if (host.starts_with('[')) {
    const std::size_t close = host.find(']');
    const bool address = close != std::string_view::npos && IpAddress::Parse(host.substr(1, close - 1)).has_value();
    if (address) from = close + 1;
  }
  const auto [colon, length] = FindColon(host.substr(from));
  if (colon != std::string_view::npos) {
    const std::size_t value = from + colon + length;
    const std::string_view port = host.substr(value, host.find('/', value) - value);
    const bool is_port = length == 1 && port.size() <= 5 && AllDigits(port);
    const bool more = FindColon(host.substr(value)).first != std::string_view::npos;
    if (!is_port || more) return std::string(host.substr(0, value)) + std::string(kHidden);
  }
  out += host;
  if (query != std::string_view::npos) {
    out += text[query];
    out += kHidden;
  }
  return out;
}

}  // namespace

std::string RedactUrl(std::string_view any_text) {
  const std::size_t start = UserinfoStart(any_text);
  const std::string_view rest = any_text.substr(start);
  std::string out(any_text.substr(0, start));
  const std::size_t at = rest.rfind('@');
  if (at == std::string_view::npos) return out + RedactHostPart(rest);
  const std::string_view userinfo = rest.substr(0, at);
  const auto [colon, length] = FindColon(userinfo);
  if (colon == std::string_view::npos) {
    out += userinfo;
  } else {
    out += userinfo.substr(0, colon + length);
    out += kHidden;
  }
  out += '@';
  return out + RedactHostPart(rest.substr(at + 1));
}

}  // namespace prov::egress
