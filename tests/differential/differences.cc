#include "tests/differential/differences.h"

#include <algorithm>
#include <array>

#include "provisioner/base/text.h"

namespace prov::differential {
namespace {

using OurKind = Answer::Kind;
using GoKind = GoAnswer::Kind;

bool IsHexDigit(char c) { return HexDigit(c) >= 0; }
bool IsNameCharacter(char c) { return IsDigit(c) || IsLetter(c) || c == '-' || c == '_' || c == '.' || !IsAscii(c); }
bool HasControl(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}
bool IsAddress(std::string_view go_host) {  // in Go's canonical form
  const bool ipv6 = go_host.find(':') != std::string_view::npos;
  if (ipv6) return std::ranges::all_of(go_host, [](char c) { return IsHexDigit(c) || c == ':' || c == '.'; });
  return std::ranges::count(go_host, '.') == 3 && go_host[0] != '0' &&
         std::ranges::all_of(go_host, [](char c) { return IsDigit(c) || c == '.'; });
}

std::string_view AfterScheme(std::string_view url) {
  constexpr std::string_view kScheme = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
  const std::size_t scheme = url.find_first_not_of(kScheme);
  if (scheme != std::string_view::npos && url.substr(scheme).starts_with("://")) return url.substr(scheme + 3);
  return url.starts_with("//") ? url.substr(2) : url;
}
std::string_view Authority(std::string_view url) {
  const std::string_view after = AfterScheme(url);
  const std::string_view authority = after.substr(0, after.find_first_of("/?#"));
  const std::size_t at = authority.rfind('@');
  return at == std::string_view::npos ? authority : authority.substr(at + 1);
}
std::string_view Rest(std::string_view url) {
  const std::string_view after = AfterScheme(url);
  const std::size_t end = after.find_first_of("/?#");
  return end == std::string_view::npos ? std::string_view() : after.substr(end);
}

// Five or more hexadecimal digits beside a colon, in what has two colons.
bool HasLongGroup(std::string_view text) {
  if (std::ranges::count(text, ':') < 2) return false;
  std::size_t run = 0;
  for (const char c : text) {
    run = IsHexDigit(c) ? run + 1 : 0;
    if (run > 4) return true;
  }
  return false;
}

bool LastLabelIsNumber(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::string_view last = host.substr(host.rfind('.') + 1);  // npos + 1 is 0
  if (last.starts_with("0x")) return std::all_of(last.begin() + 2, last.end(), IsHexDigit);
  return !last.empty() && std::ranges::all_of(last, IsDigit);
}

bool Refused(const Answer& ours, const GoAnswer& go) {
  return ours.kind == OurKind::kRefusedProxy && go.kind == GoKind::kProxy;
}
bool RefusedUrl(const Answer& ours, const GoAnswer& go) {
  return ours.kind == OurKind::kBadUrl && go.kind != GoKind::kBadUrl;
}

constexpr std::array kDifferences = std::to_array<Difference>({
    // A request's URL.
    {"url/rest", "Go refuses a broken escape in the path: no request is made; only scheme, host and port decide here",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       return go.kind == GoKind::kBadUrl && ours.kind != OurKind::kBadUrl &&
              Rest(row.target).find("%zz") != std::string::npos;
     }},
    {"url/no-scheme", "net/url reads a relative reference; a request's URL is absolute",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       return RefusedUrl(ours, go) && row.target.starts_with("//");
     }},
    {"url/port", "net/url takes ports that no connection can have, and several colons",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       const std::string_view authority = Authority(row.target);
       return RefusedUrl(ours, go) && (authority.find(":65536") != std::string_view::npos ||
                                       (authority[0] != '[' && std::ranges::count(authority, ':') > 1));
     }},
    {"url/ipv6-group", "Go 1.19 takes IPv6 groups of more than four digits, later ones and RFC 4291 do not",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       return RefusedUrl(ours, go) && HasLongGroup(Authority(row.target));
     }},
    {"url/brackets", "net/url takes anything within brackets",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       return RefusedUrl(ours, go) && Authority(row.target).starts_with("[10.");
     }},
    {"url/zone", "Go before 1.23.7 and 1.24.1 takes an address with a zone for a name; later ones leave the zone out",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       const bool is_decided = ours.kind == OurKind::kDirect && go.kind == GoKind::kProxy;
       return is_decided && Authority(row.target).starts_with("[::1%25");
     }},
    {"url/characters", "net/url takes quotes and escapes of other than ASCII within a host; no name has them",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       return RefusedUrl(ours, go) && Authority(row.target).find_first_of("\"%") != std::string_view::npos;
     }},
    {"url/port-zeros", "Go compares ports as text, so a request to :080 is for an entry :080 and not for :80",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       const bool differ = (ours.kind == OurKind::kDirect && go.kind == GoKind::kProxy) ||
                           (ours.kind == OurKind::kProxy && go.kind == GoKind::kDirect);
       return differ && Authority(row.target).ends_with(":080") &&
              (row.no_proxy.find(":80") != std::string::npos || row.no_proxy.find(":080") != std::string::npos);
     }},
    // NO_PROXY.
    {"no-proxy/control", "Go matches control characters and malformed UTF-8 as text; a list that holds them is refused",
     [](const Row& row, const Answer& ours, const GoAnswer&) {
       return ours.kind == OurKind::kBadNoProxy && (HasControl(row.no_proxy) || !IsUtf8(row.no_proxy));
     }},
    {"no-proxy/ipv6-group", "Go 1.19 takes IPv6 groups of more than four digits, later ones and RFC 4291 do not",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       return ours.kind == OurKind::kProxy && go.kind == GoKind::kDirect && HasLongGroup(row.no_proxy);
     }},
    {"no-proxy/punycode", "Go compares names in punycode, here they are text (reported: no-proxy-idn): to the proxy",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       return ours.kind == OurKind::kProxy && go.kind == GoKind::kDirect &&
              !(IsAscii(row.target) && IsAscii(row.no_proxy));
     }},
    // The proxy's URL. Whatever we refuse, Go either drops without a word or takes for what it was not meant.
    {"proxy/fail-open", "Go drops a URL that it can't parse and goes direct without a word",
     [](const Row&, const Answer& ours, const GoAnswer& go) {
       return ours.kind == OurKind::kRefusedProxy && go.kind == GoKind::kDirect;
     }},
    {"proxy/no-host", "Go takes a proxy without a host",
     [](const Row&, const Answer& ours, const GoAnswer& go) { return Refused(ours, go) && go.host.empty(); }},
    {"proxy/socks", "Go speaks SOCKS; the components of the cluster do not promise it",
     [](const Row&, const Answer& ours, const GoAnswer& go) { return Refused(ours, go) && go.scheme == "socks5"; }},
    {"proxy/https-for-http", "the cluster's operator lets HTTP_PROXY name a proxy that is spoken to over http only",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       return Refused(ours, go) && go.scheme == "https" && AsciiLower(row.target).starts_with("http:");
     }},
    {"proxy/scheme-as-host", "Go takes a scheme that it does not know, or one of a URL that it can't parse, for a name",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       constexpr std::array<std::string_view, 4> kSchemes = {"ftp", "http", "https", "socks5"};
       const std::string host = AsciiLower(go.host);
       if (!host.empty() && AsciiLower(row.proxy).starts_with(host + "://")) return Refused(ours, go);
       return Refused(ours, go) &&
              std::ranges::any_of(kSchemes, [&](std::string_view one) { return host.ends_with(one); });
     }},
    {"proxy/lone-colon", "a name, a ':' without a port and a path look like a broken scheme",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       return Refused(ours, go) && go.port.empty() && Authority(row.proxy).ends_with(':') && !Rest(row.proxy).empty();
     }},
    {"proxy/other-clients", "Go uses it; curl or .NET drop it without a word and go direct",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       const bool escaped = HasControl(go.user) || HasControl(go.password);
       return Refused(ours, go) && (Authority(row.proxy).ends_with(':') || escaped ||
                                    (go.has_userinfo && go.user.empty() && !go.password.empty()) ||
                                    Rest(row.proxy).find(':') != std::string_view::npos);
     }},
    {"proxy/quoted", "a quote in front is a part of the value; Go takes a single one for the user's",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       return Refused(ours, go) && (row.proxy[0] == '\'' || row.proxy[0] == '"');
     }},
    {"proxy/fragment", "Go looks for control characters before the fragment only",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       const std::size_t fragment = row.proxy.find('#');
       return Refused(ours, go) && fragment != std::string::npos && HasControl(row.proxy.substr(fragment));
     }},
    {"proxy/port", "Go takes 0 and numbers above 65535 for ports",
     [](const Row&, const Answer& ours, const GoAnswer& go) {
       return Refused(ours, go) && (go.port == "0" || go.port == "65536" || go.port == "99999999999");
     }},
    {"proxy/ipv6-group", "Go 1.19 takes IPv6 groups of more than four digits, later ones and RFC 4291 do not",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       return Refused(ours, go) && HasLongGroup(Authority(row.proxy));
     }},
    {"proxy/at-in-path", "a '/', '?' or '#' in user or password makes Go take a part of them for the host",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       return Refused(ours, go) && Rest(row.proxy).find('@') != std::string_view::npos;
     }},
    {"proxy/doubled-slash", "two slashes after the host come from a doubled or broken scheme",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       return Refused(ours, go) && Rest(row.proxy).starts_with("//");
     }},
    {"proxy/brackets", "net/url takes anything within brackets, also a zone, which names an interface of one machine",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       const std::string_view authority = Authority(row.proxy);
       const bool bracketed = authority.find('[') != std::string_view::npos;
       return Refused(ours, go) && bracketed &&
              (go.host.find(':') == std::string::npos || go.host.find('%') != std::string::npos);
     }},
    {"proxy/colons", "Go takes a host with several colons and no brackets",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       const std::string_view authority = Authority(row.proxy);
       return Refused(ours, go) && authority.find('[') == std::string_view::npos &&
              std::ranges::count(authority, ':') > 1;
     }},
    {"proxy/utf8", "Go takes bytes that are not UTF-8",
     [](const Row& row, const Answer& ours, const GoAnswer& go) { return Refused(ours, go) && !IsUtf8(row.proxy); }},
    {"proxy/escaped-host", "Go decodes escapes within the host; other clients do not",
     [](const Row& row, const Answer& ours, const GoAnswer& go) {
       return Refused(ours, go) && Authority(row.proxy).find('%') != std::string_view::npos;
     }},
    {"proxy/invisible", "Go takes a host that looks like another",
     [](const Row&, const Answer& ours, const GoAnswer& go) {
       return Refused(ours, go) && Printable(go.host) != go.host;
     }},
    {"proxy/characters", "Go takes characters that no host name has; a quote there is a part of the value",
     [](const Row&, const Answer& ours, const GoAnswer& go) {
       return Refused(ours, go) && !IsAddress(go.host) && !std::ranges::all_of(go.host, IsNameCharacter);
     }},
    {"proxy/number", "resolvers differ on what a host is whose last label is a number",
     [](const Row&, const Answer& ours, const GoAnswer& go) {
       return Refused(ours, go) && !IsAddress(go.host) && LastLabelIsNumber(go.host);
     }},
    {"proxy/labels", "no name has an empty label",
     [](const Row&, const Answer& ours,
        const GoAnswer&
            go) { return Refused(ours, go) && (go.host.starts_with('.') || go.host.find("..") != std::string::npos); }},
    {"proxy/length", "no name is longer than 253 bytes",
     [](const Row&, const Answer& ours, const GoAnswer& go) { return Refused(ours, go) && go.host.size() > 253; }},
});

}  // namespace

std::span<const Difference> IntendedDifferences() { return kDifferences; }

}  // namespace prov::differential
