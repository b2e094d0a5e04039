#include "provisioner/egress/dialect.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/dialect_patterns.h"

namespace prov::egress {
namespace {

constexpr std::size_t kMaxRequestHost = 1024;  // four times the limit of DNS

struct Names {
  Dialect dialect;
  std::string_view name;
  std::string_view title;
};
constexpr std::array<Names, kDialectCount> kNames = {{{Dialect::kGo, "go", "Go"},
                                                      {Dialect::kCurl, "curl", "curl 8.18"},
                                                      {Dialect::kCurl8, "curl8", "curl 8.14"},
                                                      {Dialect::kCurl7, "curl7", "curl 7.88"},
                                                      {Dialect::kDotnet, "dotnet", ".NET"},
                                                      {Dialect::kWinHttp, "winhttp", "WinHTTP"},
                                                      {Dialect::kWinInet, "wininet", "WinINET"},
                                                      {Dialect::kPython, "python", "urllib 3.11"},
                                                      {Dialect::kRequests, "requests", "requests 2.34"},
                                                      {Dialect::kJava, "java", "Java 17"},
                                                      {Dialect::kDotnet11, "dotnet11", ".NET 11"},
                                                      {Dialect::kNodeHttp, "nodehttp", "Node.js http"},
                                                      {Dialect::kNodeFetch, "nodefetch", "Node.js fetch"},
                                                      {Dialect::kNodeFetch24, "nodefetch24", "Node.js 24 fetch"}}};

// An IPv6 address in the form of inet_ntop: embedded IPv4 addresses have dots.
std::string Ipv6Text(const IpAddress& address) {
  if (address.IsIpv4()) return "::ffff:" + address.ToString();
  const IpAddress::Bytes& b = address.bytes();
  const bool embedded = std::all_of(b.begin(), b.begin() + 12, [](auto byte) { return byte == 0; }) && (b[12] | b[13]);
  return embedded ? fmt::format("::{}.{}.{}.{}", b[12], b[13], b[14], b[15]) : address.ToString();
}

// An address as the URL standard writes it.
std::string UrlAddress(const IpAddress& address, bool is_ipv6) {
  if (!is_ipv6 || !address.IsIpv4()) return address.ToString();
  const IpAddress::Bytes& b = address.bytes();
  return fmt::format("::ffff:{:x}:{:x}", b[12] << 8U | b[13], b[14] << 8U | b[15]);
}

std::string Bracketed(const std::string& name, bool is_ipv6) { return is_ipv6 ? "[" + name + "]" : name; }

// ":8080" as written, or "".
std::string_view WrittenPort(std::string_view url) {
  std::string_view authority = url.substr(url.find("://") + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
  const std::size_t close = authority.rfind(']');
  const std::size_t colon = authority.find(':', close == std::string_view::npos ? 0 : close);
  return colon == std::string_view::npos ? std::string_view() : authority.substr(colon);
}

}  // namespace

std::string_view NameOf(Dialect dialect) { return kNames[static_cast<std::size_t>(dialect)].name; }

std::string_view TitleOf(Dialect dialect) { return kNames[static_cast<std::size_t>(dialect)].title; }

std::optional<Dialect> DialectOf(std::string_view name) {
  for (const Names& one : kNames) {
    if (one.name == name) return one.dialect;
  }
  return std::nullopt;
}

bool IsNode(Dialect dialect) {
  return dialect == Dialect::kNodeHttp || dialect == Dialect::kNodeFetch || dialect == Dialect::kNodeFetch24;
}

std::optional<IpAddress> ParseLooseIpv4(std::string_view text) {
  std::uint64_t value = 0;
  for (unsigned part = 0;; ++part) {
    const std::string_view digits = text.substr(0, text.find('.'));
    const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
    const unsigned base = hex ? 16 : digits.starts_with('0') ? 8 : 10;
    std::uint64_t number = 0;
    if (digits.size() <= (hex ? 2U : 0U)) return std::nullopt;
    for (const char c : digits.substr(hex ? 2 : 0)) {
      const int digit = HexDigit(c);
      if (digit < 0 || static_cast<unsigned>(digit) >= base) return std::nullopt;
      number = number * base + static_cast<unsigned>(digit);
      if (number > 0xFFFFFFFFU) return std::nullopt;
    }
    const bool last = digits.size() == text.size();
    // The last part fills the remaining of the four bytes.
    if (number >> (last ? 8 * (4 - part) : 8U)) return std::nullopt;
    if (last) {
      value |= number;
      break;
    }
    if (part == 3) return std::nullopt;
    value |= number << (8 * (3 - part));
    text.remove_prefix(digits.size() + 1);
  }
  IpAddress::Bytes bytes{};
  bytes[10] = bytes[11] = 0xFF;
  for (unsigned i = 0; i < 4; ++i) bytes[12 + i] = static_cast<std::uint8_t>(value >> (8 * (3 - i)));
  return IpAddress(bytes);
}

std::optional<std::pair<IpAddress, AddressFamily>> ParseWrittenAddress(std::string_view text) {
  const auto address = IpAddress::Parse(text);
  if (!address) return std::nullopt;
  return std::pair(*address, FamilyOf(text.find(':') == std::string_view::npos));
}

Result<Destination> ParseDestination(std::string_view url) {
  RequestTarget target = PROV_TRY(ParseRequestTarget(url, Zones::kTaken));
  if (target.host.size() > kMaxRequestHost)
    return Fail(Code::kUsage, "the URL has a host that is longer than any name; write one such as https://host/",
                "url");
  Destination out;
  out.scheme = std::move(target.scheme);
  out.host = std::move(target.host);
  out.port = target.port;
  out.is_ipv6 = out.host.find(':') != std::string::npos;
  out.has_zone = !target.zone.empty();
  out.name = AsciiLower(out.host);
  // The zone is no part of the address; only who compares the text of the URL sees it.
  out.authority =
      Bracketed(target.zone.empty() ? out.name : fmt::format("{}%{}", out.name, AsciiLower(target.zone)), out.is_ipv6);
  const std::string_view port = WrittenPort(url);
  out.authority_port = out.authority + std::string(port.size() > 1 ? port : "");
  out.name_port = port.size() > 1 && out.port != 0 ? fmt::format("{}:{}", out.name, out.port) : out.name;
  out.address = IpAddress::Parse(out.host);
  out.resolved = out.is_ipv6 ? out.address : ParseLooseIpv4(out.name);
  if (!out.resolved) {
    out.normal = out.name;
  } else {
    out.normal = out.is_ipv6 ? Ipv6Text(*out.resolved) : out.resolved->ToString();
  }
  out.normal_authority = Bracketed(out.normal, out.is_ipv6);
  auto standard = out.resolved;
  if (!standard && out.name.ends_with('.')) standard = ParseLooseIpv4(out.name.substr(0, out.name.size() - 1));
  out.url_host = standard ? UrlAddress(*standard, out.is_ipv6) : out.name;
  return out;
}

Result<Destination> ParseRequest(std::string_view url) {
  Destination out = PROV_TRY(ParseDestination(url));
  if (out.name.find_first_of("*,") == std::string::npos) return out;
  return Fail(Code::kUsage,
              "the URL has a host with an asterisk or a comma, and one request goes to one host; write a name that is "
              "meant",
              "url");
}

std::unique_ptr<DialectList> CompileNoProxy(Dialect dialect, const NoProxy& list) {
  switch (dialect) {
    case Dialect::kCurl:
      return CompileCurl(list, CurlVersion::k8_18);
    case Dialect::kCurl8:
      return CompileCurl(list, CurlVersion::k8_14);
    case Dialect::kCurl7:
      return CompileCurl(list, CurlVersion::k7_88);
    case Dialect::kDotnet:
      return CompileDotnet(list, false);
    case Dialect::kDotnet11:
      return CompileDotnet(list, true);
    case Dialect::kPython:
      return CompileUrllib(list);
    case Dialect::kRequests:
      return CompileRequests(list);
    case Dialect::kJava:
      return CompileJava(list);
    case Dialect::kNodeHttp:
      return CompileNodeHttp(list);
    case Dialect::kNodeFetch:
      return CompileNodeFetch(list, NodeVersion::k26);
    case Dialect::kNodeFetch24:
      return CompileNodeFetch(list, NodeVersion::k24);
    case Dialect::kGo:
    case Dialect::kWinHttp:
    case Dialect::kWinInet:
      break;
  }
  return CompileGo(list);
}

}  // namespace prov::egress
