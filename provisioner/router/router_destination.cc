// Parses the destinations for `explain` and `router explain`, and the answers of DNS from the command line.
#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/dialect_patterns.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/router/evaluation.h"

namespace prov::router {
namespace {

constexpr std::string_view kPortForms = "write a port of the router: 8080, 8080/udp or HOST:8080";
constexpr std::string_view kHostForms = "write a URL, HOST or HOST:PORT";

std::optional<std::uint16_t> PortOf(std::string_view text) {
  const auto port = static_cast<std::uint16_t>(ParseDecimal(text, 65535).value_or(0));
  return port == 0 ? std::nullopt : std::optional(port);
}

std::optional<Protocol> ProtocolOf(std::string_view text) {
  for (const Protocol protocol : {Protocol::kTcp, Protocol::kUdp, Protocol::kSctp}) {
    if (EqualsIgnoreAsciiCase(text, NameOf(protocol))) return protocol;
  }
  return std::nullopt;
}

// The authority of a URL, without a user; sets `port` to the scheme's.
std::string_view Authority(std::string_view text, std::uint16_t& port) {
  const std::size_t scheme = text.find("://");
  if (scheme != std::string_view::npos) {
    const std::string name = AsciiLower(text.substr(0, scheme));
    port = name == "http" || name == "ws" ? 80 : name == "https" || name == "wss" ? 443 : name == "ftp" ? 21 : 0;
    text.remove_prefix(scheme + 3);
  }
  text = text.substr(0, text.find_first_of("/?#"));
  const std::size_t user = text.rfind('@');
  return user == std::string_view::npos ? text : text.substr(user + 1);
}

// Removes ":PORT" from the end of "HOST:PORT" or "[V6]:PORT"; a bare IPv6 address has none. False: the port is invalid.
bool TakePort(std::string_view& text, std::uint16_t& port) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.ends_with(']') || IpAddress::Parse(text)) return true;
  const std::string_view digits = text.substr(colon + 1);
  text = text.substr(0, colon);
  if (digits.empty()) return true;
  const auto found = PortOf(digits);
  if (found) port = *found;
  return found.has_value();
}

// Sets the host in the form that squid uses.
bool SetHost(std::string_view host, RouterDestination& out) {
  const bool brackets = host.starts_with('[') && host.ends_with(']');
  if (brackets) host = host.substr(1, host.size() - 2);
  while (!brackets && host.ends_with('.')) host.remove_suffix(1);
  out.host = AsciiLower(host);
  const auto fault = [](unsigned char c) { return c <= 0x20 || c >= 0x7F || c == '\\' || c == '"'; };
  if (host.empty() || host.starts_with('.') || host.find("..") != std::string_view::npos || host.size() > 253 ||
      std::ranges::any_of(host, fault))
    return false;
  out.address = IpAddress::Parse(host);
  if (!out.address && !brackets) out.address = egress::ParseLooseIpv4(host);
  const bool ipv6 = host.find(':') != std::string_view::npos;
  if (ipv6 && !out.address) return false;
  // Keep 0.0.0.0 as written: squid does not read it as an address here.
  if (out.address && out.address->ToString() != "0.0.0.0") out.host = out.address->ToString();
  return true;
}

std::unexpected<Error> Refuse(std::string_view forms, std::string_view shown) {
  return Fail(Code::kUsage, fmt::format("names no destination: {}", forms), std::string(shown));
}

// "8080", "8080/udp", "udp/8080", "8080 udp", "HOST:8080/udp", or a URL.
Result<RouterDestination> ParsePort(RouterDestination out, std::string_view text) {
  if (text.find("://") == std::string_view::npos) {
    const std::size_t separator = text.find_first_of("/ ");
    const std::string_view first = text.substr(0, separator);
    const std::string_view second = separator == std::string_view::npos ? "" : text.substr(separator + 1);
    const auto leading = ProtocolOf(first);
    const auto trailing = ProtocolOf(second);
    if (!second.empty() && !leading && !trailing) return Refuse(kPortForms, out.text);
    out.protocol = leading ? *leading : trailing.value_or(Protocol::kTcp);
    text = leading ? second : first;
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos && !leading) {
      if (const auto before = ProtocolOf(text.substr(0, colon))) {
        out.protocol = *before;
        text.remove_prefix(colon + 1);
      }
    }
    if (const auto port = PortOf(text)) {
      out.port = *port;
      return out;
    }
  }
  text = Authority(text, out.port);
  if (!TakePort(text, out.port) || out.port == 0 || !SetHost(text, out)) return Refuse(kPortForms, out.text);
  return out;
}

std::unexpected<Error> RefuseAnswer(std::string_view assignment) {
  return Fail(Code::kUsage,
              fmt::format("takes NAME=IP[,IP]..., or IP=NAME for the name that DNS has for an address, not \"{}\"",
                          Shorten(egress::RedactRequest(assignment))),
              "--resolve");
}

// The form of a name in the tables.
std::string NameKey(std::string_view name) {
  while (name.ends_with('.')) name.remove_suffix(1);
  return AsciiLower(name);
}

}  // namespace

Result<RouterDestination> ParseRouterDestination(RouterKind kind, std::string_view text) {
  RouterDestination out;
  out.text = egress::RedactRequest(text);
  if (kind != RouterKind::kHttpProxy) return ParsePort(std::move(out), text);
  std::string_view host = Authority(text, out.port);
  if (!TakePort(host, out.port) || !SetHost(host, out)) return Refuse(kHostForms, out.text);
  return out;
}

Result<void> KnownAnswers::Add(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view name = assignment.substr(0, equals);
  if (equals == std::string_view::npos || NameKey(name).empty()) return RefuseAnswer(assignment);
  const std::string_view value = assignment.substr(equals + 1);
  if (const auto address = IpAddress::Parse(name)) {
    if (value.find(',') != std::string_view::npos || IpAddress::Parse(value)) return RefuseAnswer(assignment);
    names[address->ToString()] = NameKey(value);
    return {};
  }
  std::vector<IpAddress> given;
  const auto texts = value.empty() ? std::vector<std::string_view>() : Split(value, ',');
  given.reserve(texts.size());
  for (const std::string_view one : texts) {
    const auto address = IpAddress::Parse(TrimBlanks(one));
    if (!address) return RefuseAnswer(assignment);
    given.push_back(*address);
  }
  // Only now, so that an invalid assignment changes nothing.
  std::vector<IpAddress>& known = addresses[NameKey(name)];
  known.insert(known.end(), given.begin(), given.end());
  return {};
}

}  // namespace prov::router
