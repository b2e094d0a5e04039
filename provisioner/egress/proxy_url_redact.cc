// RedactUrl: hides what may be a password in any text that resembles a URL.
#include <algorithm>
#include <array>
#include <utility>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::egress {
namespace {

constexpr std::string_view kHidden = "***";
constexpr std::string_view kAfterScheme = "://";

// The place and length of a ':' or its escape; npos if there is none.
std::pair<std::size_t, std::size_t> FindColon(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':') return {i, 1};
    if (text[i] == '%' && EqualsIgnoreAsciiCase(text.substr(i, 3), "%3a")) return {i, 3};
  }
  return {std::string_view::npos, 0};
}

bool IsScheme(std::string_view text) {
  return !text.empty() && IsLetter(text.front()) && std::ranges::all_of(text, [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '+' || c == '-' || c == '.';
  });
}

// Where the userinfo may begin: after "scheme://" if the scheme is one of proxies or sources. Otherwise at the start,
// which may be a user name if an '@' follows.
std::size_t UserinfoStart(std::string_view text) {
  constexpr std::array<std::string_view, 15> kSchemes = {"http",   "https",   "socks", "socks4", "socks4a",
                                                         "socks5", "socks5h", "ftp",   "ws",     "wss",
                                                         "mcs",    "kube",    "tftp",  "s3",     "gs"};
  const std::size_t end = text.find(kAfterScheme);
  if (end == std::string_view::npos) return 0;
  if (text.find('@') == std::string_view::npos && IsScheme(text.substr(0, end))) return end + kAfterScheme.size();
  for (const std::string_view scheme : kSchemes) {
    if (EqualsIgnoreAsciiCase(text.substr(0, end), scheme)) return end + kAfterScheme.size();
  }
  return 0;
}

struct Redaction {
  std::string text;
  bool hides = false;
};

// The length of an address at the beginning of `host`: "2001:db8::1", also of a network, or "[fe80::1%25eth0]"; 0 if it
// is none.
std::size_t AddressLength(std::string_view host) {
  constexpr std::string_view kZone = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%-._";
  if (!host.starts_with('[')) {
    const std::string_view bare = host.substr(0, host.find('/'));
    return IpAddress::Parse(bare) ? bare.size() : 0;
  }
  const std::size_t close = host.find(']');
  if (close == std::string_view::npos) return 0;
  const std::string_view inside = host.substr(1, close - 1);
  const std::size_t zone = std::min(inside.find('%'), inside.size());
  const bool is_zone = inside.find_first_not_of(kZone, zone) == std::string_view::npos;
  return is_zone && IpAddress::Parse(inside.substr(0, zone)) ? close + 1 : 0;
}

// Redacts what follows the userinfo: keeps a port number, hides anything else after a ':' and every query and fragment.
Redaction RedactHostPart(std::string_view text) {
  const std::size_t query = text.find_first_of("?#");
  const std::string_view host = text.substr(0, query);
  const std::size_t from = AddressLength(host);
  // Hosts have no escapes, so this is probably a password whose '@' is escaped.
  if (host.substr(from, host.find('/', from) - from).find('%') != std::string_view::npos)
    return {std::string(kHidden), true};
  const auto [colon, length] = FindColon(host.substr(from));
  if (colon != std::string_view::npos) {
    const std::size_t value = from + colon + length;
    const std::string_view port = host.substr(value, host.find('/', value) - value);
    const bool is_port = length == 1 && port.size() <= 5 && AreDigits(port);
    const bool more = FindColon(host.substr(value)).first != std::string_view::npos;
    if (!is_port || more) return {std::string(host.substr(0, value)) + std::string(kHidden), true};
  }
  if (query == std::string_view::npos) return {std::string(host), false};
  return {std::string(host) + text[query] + std::string(kHidden), true};
}

// Hides also a user name without a password: proxies accept a token in its place.
Redaction Redact(std::string_view text) {
  const std::size_t start = UserinfoStart(text);
  const std::string_view rest = text.substr(start);
  const std::size_t at = rest.rfind('@');
  Redaction out = RedactHostPart(at == std::string_view::npos ? rest : rest.substr(at + 1));
  std::string before(text.substr(0, start));
  if (at != std::string_view::npos) {
    const std::string_view userinfo = rest.substr(0, at);
    const auto [colon, length] = FindColon(userinfo);
    if (colon != std::string_view::npos) before += userinfo.substr(0, colon + length);
    if (!userinfo.empty()) {
      before += kHidden;
      out.hides = true;
    }
    before += '@';
  }
  out.text.insert(0, before);
  return out;
}

}  // namespace

std::string RedactUrl(std::string_view any_text) { return Redact(any_text).text; }
bool MayHoldCredentials(std::string_view any_text) { return Redact(any_text).hides; }

std::string RedactRequest(std::string_view text) {
  return text.find_first_of("@?#") == std::string_view::npos ? std::string(text) : RedactUrl(text);
}

}  // namespace prov::egress
