#include "provisioner/egress/decision.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/dialect.h"
#include "provisioner/egress/no_proxy.h"

namespace prov::egress {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kSchemeCharacters = "abcdefghijklmnopqrstuvwxyz0123456789+-.";

std::unexpected<Error> RefuseUrl(std::string_view fault) {
  return Fail(Code::kUsage, fmt::format("the URL {}; write one such as https://host:port/path", fault), "url");
}

// `text` has no colon; "" gives the port of the scheme.
Result<std::uint16_t> ParseUrlPort(std::string_view text, std::string_view scheme) {
  if (text.empty()) return static_cast<std::uint16_t>(scheme == "https" ? 443 : scheme == "http" ? 80 : 0);
  if (!AreDigits(text)) return RefuseUrl("has a port that is not a number");
  const auto port = ParseDecimal(text, 65535);
  if (!port) return RefuseUrl("has a port above 65535");
  return static_cast<std::uint16_t>(*port);
}

// Takes the zone from the end of an IPv6 address, written behind "%25" as RFC 6874 has it, or behind "%".
Result<void> TakeZone(RequestTarget& target) {
  constexpr std::string_view kUnreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  const std::size_t percent = target.host.find('%');
  if (percent == std::string::npos) return {};
  target.zone = target.host.substr(percent + 1);
  if (target.zone.starts_with("25") && target.zone.size() > 2) target.zone.erase(0, 2);
  if (target.zone.empty() || target.zone.find_first_not_of(kUnreserved) != std::string::npos)
    return RefuseUrl("has an IPv6 address with a malformed zone");
  target.host.resize(percent);
  return {};
}

// Parses "host", "host:port" or "[IPv6]:port".
Result<RequestTarget> ParseAuthority(std::string_view authority, std::string scheme, Zones zones) {
  RequestTarget target;
  target.scheme = std::move(scheme);
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return RefuseUrl("has a bracket that is not closed");
    target.host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
    if (zones == Zones::kTaken) PROV_TRY(TakeZone(target));
    const bool address = target.host.find(':') != std::string::npos && IpAddress::Parse(target.host).has_value();
    if (!address) return RefuseUrl("has brackets that hold no IPv6 address");
  } else {
    const std::size_t colon = authority.find(':');
    target.host = authority.substr(0, colon);
    if (colon != std::string_view::npos) port = authority.substr(colon);
    if (target.host.find_first_of("[]%\\\"<>^`{|}") != std::string::npos)
      return RefuseUrl("has a host with a character that no name has");
  }
  if (target.host.empty()) return RefuseUrl("has no host");
  if (!port.empty() && port[0] != ':') return RefuseUrl("has text behind the bracket that closes the host");
  if (!port.empty()) port.remove_prefix(1);
  target.port = PROV_TRY(ParseUrlPort(port, target.scheme));
  return target;
}

Decision GoDirect(std::string note, std::optional<std::string> entry = std::nullopt) {
  return {Route::kDirect, "", std::move(entry), std::move(note)};
}

}  // namespace

std::string RequestUrlOf(std::string_view text) {
  if (text.find("://") != std::string_view::npos) return std::string(text);
  const bool bare_ipv6 =
      text.find(':') != std::string_view::npos && IpAddress::Parse(text.substr(0, text.find('%'))).has_value();
  return bare_ipv6 ? fmt::format("https://[{}]/", text) : fmt::format("https://{}/", text);
}

Result<RequestTarget> ParseRequestTarget(std::string_view url, Zones zones) {
  if (std::ranges::any_of(url, [](unsigned char c) { return c <= 0x20 || c == 0x7F; }))
    return RefuseUrl("holds a blank or a control character");
  if (!IsUtf8(url)) return RefuseUrl("is not UTF-8");
  const std::size_t colon = url.find(':');
  std::string scheme = AsciiLower(url.substr(0, colon));
  const bool has_scheme =
      colon != std::string_view::npos && colon > 0 && kLetters.find(scheme[0]) != std::string_view::npos &&
      scheme.find_first_not_of(kSchemeCharacters) == std::string::npos && url.substr(colon).starts_with("://");
  if (!has_scheme) return RefuseUrl("has no scheme");
  std::string_view authority = url.substr(colon + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) authority.remove_prefix(at + 1);
  return ParseAuthority(authority, std::move(scheme), zones);
}

Result<Decision> Decide(const Secret& http_proxy, const Secret& https_proxy, std::string_view no_proxy,
                        std::string_view url, ProxyReaders readers) {
  const Destination target = PROV_TRY(ParseDestination(url));
  const NoProxy list = PROV_TRY(NoProxy::Parse(no_proxy, "NO_PROXY"));
  if (target.scheme != "http" && target.scheme != "https") return GoDirect("the scheme is neither http nor https");
  const bool https = target.scheme == "https";
  const auto variable = https ? ProxyVariable::kHttps : ProxyVariable::kHttp;
  const Secret& text = https ? https_proxy : http_proxy;
  if (text.empty()) return GoDirect(fmt::format("{} is not set", NameOf(variable)));
  const auto compiled = CompileNoProxy(Dialect::kGo, list);
  const Bypass bypass = compiled->Find(target);
  if (bypass.kind == Bypass::Kind::kImplicit) return GoDirect("localhost and loopback addresses are never proxied");
  if (bypass.kind == Bypass::Kind::kEntry) return GoDirect("NO_PROXY has the host", std::string(bypass.entry));
  Findings ignored;
  const auto proxy = ParseProxyUrl(text, variable, NameOf(variable), ignored, readers);
  if (!proxy) return Decision{Route::kInvalid, RedactUrl(text.Reveal()), std::nullopt, proxy.error().message};
  return Decision{Route::kProxy, proxy->Redacted(), std::nullopt, fmt::format("{} applies", NameOf(variable))};
}

}  // namespace prov::egress
