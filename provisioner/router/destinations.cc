#include "provisioner/router/destinations.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/router/destination_lines.h"

namespace prov::router {
namespace {

// Trims a line as bash's `read` does.
std::string_view TrimSpaces(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line.substr(0, line.find_last_not_of(" \t") + 1);
}

// A mistake that makes a line invalid although it looks right.
std::string_view MistakeIn(std::string_view line) {
  if (line.ends_with('\r')) return "; it ends in a carriage return: save the text with line feeds alone";
  if (!IsAscii(line)) return "; it holds a character that is not ASCII, perhaps a typographic quote or dash";
  if (line.find('\t') != std::string_view::npos) return "; write spaces instead of tabs";
  if (line.find('#') != std::string_view::npos) return "; a comment needs a line of its own";
  if (line.find('=') != std::string_view::npos)
    return "; a list of destinations holds no NAME=VALUE; check that this is the right file";
  if (line.find("://") != std::string_view::npos) return "; leave out the scheme";
  return "";
}

// Refuses leading zeros, which a script may read as octal.
std::optional<unsigned> ReadPrefix(std::string_view text, unsigned most) {
  const auto bits = ParseDecimal(text, most);
  if (!bits || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  return static_cast<unsigned>(*bits);
}

}  // namespace

std::vector<std::string_view> DestinationLine::Words() const {
  std::vector<std::string_view> out;
  for (const std::string_view word : Split(text, ' ')) {
    if (!word.empty()) out.push_back(word);
  }
  return out;
}

std::unexpected<Error> DestinationLine::Refuse(std::string script_words, std::string_view forms) const {
  return Fail(Code::kDestination, fmt::format("{}: {}{}", script_words, forms, MistakeIn(text)), where);
}

Result<void> ForEachLine(std::string_view text, const std::string& where, const LineReader& read, Faults* faults) {
  std::size_t number = 0;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = TrimSpaces(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.find_first_not_of("\r\v\f \t") == std::string_view::npos || line.front() == '#') continue;
    if (++used > kMostDestinations)
      return Fail(Code::kTooLarge,
                  fmt::format("holds more than {} destinations; use several routers", kMostDestinations), where);
    auto result = read({number, line, fmt::format("{}: line {}", where, number)});
    if (result) continue;
    if (faults == nullptr) return std::unexpected(std::move(result).error());
    if (faults->size() < kMostFaults) faults->push_back(std::move(result).error());
  }
  return {};
}

std::string Quoted(std::string_view text) {
  return std::string(Shorten(text.find('@') == std::string_view::npos ? text : egress::RedactUrl(text)));
}

bool IsDigits(std::string_view text) { return !text.empty() && AreDigits(text); }

bool HasFormOfIpv4(std::string_view text) {
  const auto parts = Split(text, '.');
  return parts.size() == 4 && std::ranges::all_of(parts, IsDigits);
}

Result<std::uint16_t> ReadPort(std::string_view text, const DestinationLine& line) {
  const std::uint64_t port = ParseDecimal(text, 65535).value_or(0);
  if (port == 0) {
    return Fail(Code::kDestination, fmt::format("Invalid port: {}, must be in the range 1 to 65535", Shorten(text, 20)),
                line.where);
  }
  if (text.front() == '0') {
    return Fail(Code::kDestination,
                fmt::format("Invalid port: {}, must be in the range 1 to 65535 without leading zeros, which bash takes "
                            "for an octal number",
                            Shorten(text, 20)),
                line.where);
  }
  return static_cast<std::uint16_t>(port);
}

Result<IpAddress> ReadTarget(std::string_view text, std::string script_words, const DestinationLine& line,
                             CappedFindings& findings) {
  const auto address = IpAddress::Parse(text);
  if (!address) {
    return line.Refuse(
        std::move(script_words),
        fmt::format("{} is not an IPv4 address; write four parts of 0 to 255 without leading zeros", text));
  }
  if (const std::string_view what = ReservedKind(*address); !what.empty())
    findings.Warn("router-target", fmt::format("{} is {}: the router can't forward traffic to it", text, what),
                  line.where);
  return *address;
}

namespace {

// The message of the image's script.
std::string_view WordsForNoList(RouterKind kind) {
  if (kind == RouterKind::kHttpProxy) return "No EGRESS_HTTP_PROXY_DESTINATION specified";
  return kind == RouterKind::kDnsProxy ? "Must specify EGRESS_DNS_PROXY_DESTINATION" : "EGRESS_DESTINATION unspecified";
}

LineReader ReaderFor(RouterPolicy& out, CappedFindings& findings) {
  if (out.kind == RouterKind::kHttpProxy) return HttpReader(out, findings);
  return out.kind == RouterKind::kDnsProxy ? DnsReader(out, findings) : RedirectReader(out, findings);
}

Result<void> ReadRules(std::string_view text, RouterPolicy& out, Faults* faults) {
  out.text = text;
  if (text.find('\0') != std::string_view::npos)
    return Fail(Code::kDestination, "holds a NUL byte, which no variable can hold: save it as UTF-8", out.where);
  if (text.empty()) {
    return Fail(Code::kDestination,
                fmt::format("{}: the list of destinations is empty; add one", WordsForNoList(out.kind)), out.where);
  }
  {
    CappedFindings findings(out.findings, out.where);
    const LineReader reader = ReaderFor(out, findings);
    PROV_TRY(ForEachLine(text, out.where, reader, faults));
  }
  const bool empty = out.redirect.empty() && out.http.empty() && out.dns.empty();
  if (!empty || (faults != nullptr && !faults->empty())) return {};
  AddWarning(out.findings, "router-empty",
             out.kind == RouterKind::kHttpProxy ? "no line is a destination, so the proxy denies everything"
                                                : "no line is a destination, so the router forwards nothing",
             out.where);
  return {};
}

}  // namespace

Result<void> ReadDestinations(std::string_view text, RouterPolicy& out) { return ReadRules(text, out, nullptr); }

Faults CheckDestinations(std::string_view text, RouterPolicy& out) {
  Faults faults;
  if (auto read = ReadRules(text, out, &faults); !read) faults.push_back(std::move(read).error());
  return faults;
}

Result<void> ReadSource(std::string_view text, const std::string& where, RouterPolicy& out) {
  const std::size_t slash = text.find('/');
  const auto address = IpAddress::Parse(text.substr(0, slash));
  const bool family = address && (address->IsIpv4() || out.is_cni);
  std::optional<unsigned> prefix;
  if (slash != std::string_view::npos && family)
    prefix = ReadPrefix(text.substr(slash + 1), address->IsIpv4() ? 32 : 128);
  if (!family || (slash != std::string_view::npos && !prefix)) {
    return Fail(Code::kDestination,
                fmt::format("{}, not '{}'",
                            out.is_cni ? "write an address with the length of the network's prefix, such as "
                                         "192.0.2.10/24 or 2001:db8::10/64"
                                       : "EGRESS_SOURCE unspecified or invalid: write an IPv4 address, alone or with "
                                         "the length of the network's prefix (192.0.2.10/24)",
                            Shorten(text)),
                where);
  }
  out.source = SourceAddress{*address, prefix};
  return {};
}

Result<void> ReadGateway(std::string_view text, const std::string& where, RouterPolicy& out) {
  const auto address = IpAddress::Parse(text);
  const bool ipv4 = !out.is_cni || !out.source || out.source->address.IsIpv4();
  if (!address || address->IsIpv4() != ipv4) {
    return Fail(Code::kDestination,
                fmt::format("{}write an {} address without a prefix{}, not '{}'",
                            out.is_cni ? "" : "EGRESS_GATEWAY unspecified or invalid: ", ipv4 ? "IPv4" : "IPv6",
                            out.is_cni ? ", as the source address is one" : "", Shorten(text)),
                where);
  }
  out.gateway = *address;
  return {};
}

}  // namespace prov::router
