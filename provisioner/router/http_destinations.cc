// Reads EGRESS_HTTP_PROXY_DESTINATION, and renders it for squid.
#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/router/destination_lines.h"

namespace prov::router {
namespace {

using Match = HttpRule::Match;

constexpr std::string_view kHttpForms =
    "write a host, *.DOMAIN, an IP or a network, with ! in front to deny it, or as the last line *";

bool IsAlphanumeric(char c) { return IsLetter(c) || IsDigit(c); }

// Whether the script takes the text as an address: hexadecimal digits, dots and colons, which also fits cafe.de.
bool HasFormOfAddress(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos && !IsDigits(text.substr(slash + 1))) return false;
  text = text.substr(0, slash);
  if (text.find_first_not_of("0123456789abcdefABCDEF.:") != std::string_view::npos) return false;
  const std::size_t separator = text.find_first_of(".:");
  return separator != std::string_view::npos && separator + 1 < text.size();
}

bool HasFormOfHost(std::string_view text) {
  return text.size() >= 2 && IsAlphanumeric(text.front()) &&
         std::ranges::all_of(text, [](char c) { return IsAlphanumeric(c) || c == '.' || c == '-'; });
}

class HttpListReader {
 public:
  HttpListReader(RouterPolicy& out, CappedFindings& findings) : out_(out), findings_(findings) {}

  Result<void> operator()(const DestinationLine& line) {
    if (line.text == "*") {
      wildcard_ = line.number;
      out_.http.push_back({.line = line.number});
      return {};
    }
    if (wildcard_) {
      return line.Refuse("Wildcard must be last rule, if present",
                         fmt::format("line {} is *, behind which nothing is read; move it to the end", wildcard_));
    }
    HttpRule rule{.line = line.number};
    rule.allow = !line.text.starts_with('!');
    const std::string_view text = line.text.substr(rule.allow ? 0 : 1);
    if (HasFormOfAddress(text)) return Network(text, std::move(rule), line);
    const bool below = text.starts_with("*.");
    if (!HasFormOfHost(below ? text.substr(2) : text)) return line.Refuse(Bad(text), kHttpForms);
    rule.match = Match::kDomain;
    rule.text = text.substr(below ? 1 : 0);
    if (rule.text.find("..") != std::string::npos)
      return line.Refuse(Bad(text), "no host has two dots side by side; remove one");
    WarnOfName(text, rule, line);
    out_.http.push_back(std::move(rule));
    return {};
  }

 private:
  static std::string Bad(std::string_view text) { return fmt::format("Bad destination '{}'", Quoted(text)); }

  Result<void> Network(std::string_view text, HttpRule rule, const DestinationLine& line) {
    const std::size_t slash = text.find('/');
    const auto address = IpAddress::Parse(text.substr(0, slash));
    if (!address) return RefuseAddress(text, line);
    const bool ipv6 = text.find(':') != std::string_view::npos;
    const std::string whole = fmt::format("{}/{}", text.substr(0, slash), ipv6 ? 128 : 32);
    rule.network = IpNetwork::Parse(slash == std::string_view::npos ? std::string_view(whole) : text);
    if (!rule.network)
      return line.Refuse(Bad(text), fmt::format("write a prefix of at most {} bits; squid does not start with a "
                                                "longer one",
                                                ipv6 ? 128 : 32));
    if (slash != std::string_view::npos && text.size() > slash + 2 && text[slash + 1] == '0')
      return line.Refuse(Bad(text), "write the prefix without leading zeros, which some programs read as octal");
    PROV_TRY(CheckNetwork(text, ipv6, *rule.network, *address, line));
    rule.match = Match::kNetwork;
    rule.text = text;
    out_.http.push_back(std::move(rule));
    return {};
  }

  Result<void> CheckNetwork(std::string_view text, bool ipv6, const IpNetwork& network, const IpAddress& address,
                            const DestinationLine& line) {
    // Squid stores IPv4 as ::ffff:a.b.c.d.
    const bool holds_ipv4 =
        ipv6 && (network.IsIpv4() ? text.find('/') != std::string_view::npos : HoldsMapped(network));
    if (holds_ipv4)
      return line.Refuse(Bad(text),
                         "squid means IPv4 addresses by it, or nothing at all; write an IPv4 network as such");
    if (network.prefix() == 0 && address != network.address())
      return line.Refuse(Bad(text), "squid matches nothing with it; write 0.0.0.0/0 for every address");
    if (address != network.address()) {
      findings_.Warn(
          "router-host-bits",
          fmt::format("{} has bits behind the prefix, which squid clears: it means {}", text, network.ToString()),
          line.where);
    }
    if (network.prefix() == 0)
      findings_.Warn(
          "router-all-addresses",
          "squid takes 0.0.0.0/0 for every address, also of IPv6; a name that does not resolve is not among them",
          line.where);
    return {};
  }

  static bool HoldsMapped(const IpNetwork& network) {
    constexpr IpAddress::Bytes kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    return IpAddress(kMapped).Masked(network.bits()) == network.address();
  }

  static Result<void> RefuseAddress(std::string_view text, const DestinationLine& line) {
    const std::string_view host = text.substr(0, text.find('/'));
    const bool name = text == host && HasFormOfHost(host) && host.find_first_not_of("0123456789.") != host.npos;
    if (!name) return line.Refuse(Bad(text), "it is not an address; write an IPv4 address as four parts of 0 to 255");
    return line.Refuse(Bad(text),
                       fmt::format("the router takes a name of the letters a to f for an address, and squid does not "
                                   "start when it can't resolve it; write *.{}, which has {} itself, too",
                                   host, host));
  }

  void WarnOfName(std::string_view text, const HttpRule& rule, const DestinationLine& line) {
    if (text.find_first_not_of('w') == std::string_view::npos) {
      findings_.Warn("router-name",
                     fmt::format("the script of the router's image skips the line \"{}\", as if it were blank", text),
                     line.where);
    }
    if (text.ends_with('.')) {
      findings_.Warn("router-name",
                     fmt::format("squid takes the final dot off what is asked for, but not off \"{}\", which therefore "
                                 "never matches",
                                 text),
                     line.where);
    }
    if (EqualsIgnoreAsciiCase(rule.text, "none") || EqualsIgnoreAsciiCase(rule.text, ".none")) {
      findings_.Warn("router-name",
                     fmt::format("squid also takes \"{}\" for every address that has no name in DNS", text),
                     line.where);
    }
  }

  RouterPolicy& out_;
  CappedFindings& findings_;
  std::size_t wildcard_ = 0;  // line of the rule "*"
};

}  // namespace

LineReader HttpReader(RouterPolicy& out, CappedFindings& findings) { return HttpListReader(out, findings); }

}  // namespace prov::router
