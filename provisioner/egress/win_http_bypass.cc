#include "provisioner/egress/win_http_bypass.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"

namespace prov::egress {
namespace {

using Kind = NoProxyEntry::Kind;

constexpr std::size_t kMaxListedEntries = 20;  // entries named in one finding
constexpr std::size_t kMaxName = 253;          // RFC 1035, without the root label; longer names can't be resolved

// Whether the name may be a proxy or an entry: letters, digits, '-', '_' and single dots, no leading dot.
bool IsPlainName(std::string_view name) {
  if (name.empty() || name.size() > kMaxName || name.starts_with('.') || name.find("..") != std::string_view::npos)
    return false;
  return std::ranges::all_of(name,
                             [](char c) { return IsLetter(c) || IsDigit(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsBracketedIpv6(std::string_view text) {
  if (text.size() < 4 || text.front() != '[' || text.back() != ']') return false;
  const std::string_view inside = text.substr(1, text.size() - 2);
  return inside.find(':') != std::string_view::npos && IpAddress::Parse(inside).has_value();
}

// Entries that could not be expressed, grouped by reason, so that each reason gives one finding.
class LeftOut {
 public:
  void Add(FindingCode code, const std::string& text) {
    Group& group = groups_[code.name()];
    if (group.count++ >= kMaxListedEntries) return;
    group.names +=
        (group.names.empty() ? "" : ", ") + (text.size() <= kMaxName ? text : std::string("an overlong name"));
  }

  void Report(FindingCode code, std::string_view reason, Findings& findings) const {
    const auto it = groups_.find(code.name());
    if (it == groups_.end()) return;
    const Group& group = it->second;
    std::string names = group.names;
    if (group.count > kMaxListedEntries) names += fmt::format(" and {} more", group.count - kMaxListedEntries);
    AddWarning(
        findings, code,
        fmt::format("WinHTTP's bypass list lacks {}, so WinHTTP clients use the proxy there ({})", names, reason),
        "NO_PROXY");
  }

 private:
  struct Group {
    std::string names;
    std::size_t count = 0;
  };
  std::map<std::string_view, Group> groups_;  // by the name of the code
};

// Patterns that together match an IPv4 network: octet patterns for up to 24 bits, else single addresses. At most 128;
// not for /0.
std::vector<std::string> OctetPatterns(const IpNetwork& network) {
  const unsigned octets = (network.prefix() + 7) / 8;
  const unsigned count = 1U << (octets * 8 - network.prefix());
  IpAddress::Bytes bytes = network.address().bytes();
  const unsigned first = bytes[11 + octets];
  std::vector<std::string> out;
  for (unsigned i = 0; i < count; ++i) {
    bytes[11 + octets] = static_cast<std::uint8_t>(first + i);
    std::string pattern;
    for (unsigned octet = 0; octet < octets; ++octet)
      pattern += fmt::format("{}{}", octet > 0 ? "." : "", bytes[12 + octet]);
    if (octets < 4) pattern += ".*";
    out.push_back(std::move(pattern));
  }
  return out;
}

class BypassBuilder {
 public:
  explicit BypassBuilder(bool octets) : octets_(octets) {}

  std::string Build(const NoProxy* list, Findings& findings) {
    if (list != nullptr && list->HasAll()) return "*";
    // Go never proxies these, whatever the list says.
    Put({"localhost"}, "localhost");
    Put({octets_ ? "127.*" : "127.0.0.1"}, "127.0.0.1");
    Put({"[::1]"}, "::1");
    if (list != nullptr) {
      for (const NoProxyEntry& entry : list->entries()) Translate(entry);
    }
    Report(findings);
    return std::move(bypass_);
  }

 private:
  void Translate(const NoProxyEntry& entry) {
    if (entry.port) {
      left_out_.Add("winhttp-port", entry.text);
      return;
    }
    switch (entry.kind) {
      case Kind::kHost:
      case Kind::kSuffix:
        TranslateName(entry);
        break;
      case Kind::kAddress:
        PutAddress(*entry.address, entry.text);
        break;
      case Kind::kNetwork:
        TranslateNetwork(entry);
        break;
      case Kind::kAll:    // handled by Build()
      case Kind::kInert:  // matches nothing in Go either; LintNoProxy says so
        break;
    }
  }

  void TranslateName(const NoProxyEntry& entry) {
    if (!IsAscii(entry.name)) {
      left_out_.Add("winhttp-idn", entry.text);
    } else if (!IsPlainName(entry.name)) {
      left_out_.Add("winhttp-name", entry.text);
    } else if (entry.kind == Kind::kHost) {
      Put({entry.name, "*." + entry.name}, entry.text);
    } else {
      Put({"*." + entry.name}, entry.text);
    }
  }

  void TranslateNetwork(const NoProxyEntry& entry) {
    const unsigned prefix = entry.network->prefix();
    if (entry.network->bits() == 128) {
      PutAddress(entry.network->address(), entry.text);
    } else if (!octets_ || prefix == 0 || !entry.network->IsIpv4()) {
      left_out_.Add("winhttp-cidr", entry.text);
    } else {
      Put(OctetPatterns(*entry.network), entry.text);
      if (prefix <= 24) wildcards_ = true;
    }
  }

  void PutAddress(const IpAddress& address, const std::string& entry) {
    Put({address.IsIpv4() ? address.ToString() : fmt::format("[{}]", address.ToString())}, entry);
  }

  // Adds all patterns of an entry or none.
  void Put(const std::vector<std::string>& patterns, const std::string& entry) {
    std::size_t size = 0;
    for (const std::string& pattern : patterns) size += pattern.size() + 1;
    if (bypass_.size() + size > kMaxWinHttpBypass) {
      left_out_.Add("winhttp-length", entry);
      return;
    }
    for (const std::string& pattern : patterns) {
      if (!seen_.insert(pattern).second) continue;
      if (!bypass_.empty()) bypass_ += ';';
      bypass_ += pattern;
    }
  }

  void Report(Findings& findings) const {
    left_out_.Report("winhttp-port", "an entry with a port can't be held to that port", findings);
    left_out_.Report("winhttp-cidr",
                     octets_ ? "a bypass list can't hold IPv6 networks or 0.0.0.0/0"
                             : "a bypass list can't hold networks; --winhttp-octets writes IPv4 ones as octet patterns",
                     findings);
    left_out_.Report("winhttp-idn", "the list is ASCII; write the punycode form", findings);
    left_out_.Report("winhttp-name", "no WinHTTP pattern says the same", findings);
    left_out_.Report("winhttp-length", fmt::format("the list would exceed {} bytes", kMaxWinHttpBypass), findings);
    if (octets_) {
      AddWarning(findings, "winhttp-octets",
                 fmt::format("WinHTTP's bypass list has octet patterns such as {}: WinHTTP compares text, so a host "
                             "name that begins with these "
                             "numbers goes around the proxy too",
                             wildcards_ ? "10.*" : "127.*"),
                 "NO_PROXY");
    }
  }

  bool octets_;
  bool wildcards_ = false;
  std::string bypass_;
  std::unordered_set<std::string> seen_;
  LeftOut left_out_;
};

// "host:port" if WinHTTP can express the proxy; else "".
std::string CarryProxy(const ProxyUrl& url, ProxyVariable variable, Findings& findings) {
  const std::string where(NameOf(variable));
  const std::string_view requests = variable == ProxyVariable::kHttp ? "http" : "https";
  if (url.scheme() == "https") {
    AddWarning(findings, "winhttp-https-proxy",
               fmt::format("{} names a proxy with an https:// URL, which WinHTTP can't use: it is left out, so {} "
                           "requests of WinHTTP clients go direct; give an http:// proxy if they must not",
                           where, requests),
               where);
    return {};
  }
  if (!IsAscii(url.host())) {
    AddWarning(findings, "winhttp-idn",
               fmt::format("the host of {} is not ASCII, which WinHTTP's settings can't hold: it is left out, so {} "
                           "requests of WinHTTP clients go "
                           "direct; write its punycode form (xn--…)",
                           where, requests),
               where);
    return {};
  }
  if (url.has_credentials()) {
    AddWarning(findings, "winhttp-credentials",
               fmt::format("WinHTTP's settings can't hold the user and password of {}: they are left out there, so the "
                           "proxy will answer 407 to "
                           "WinHTTP clients that do not log in themselves",
                           where),
               where);
  }
  return url.HostPort();
}

std::unexpected<Error> Refuse(std::string_view field, std::string_view fault) {
  return Fail(Code::kFailOpen,
              fmt::format("the WinHTTP {} {}, so it is not written: WinHTTP would reject the settings or send "
                          "everything around the proxy; "
                          "correct it",
                          field, fault),
              fmt::format("WinHttpSettings {}", field));
}

// A pattern from "10.*" to "10.1.2.*".
bool IsOctetPattern(std::string_view entry) {
  if (!entry.ends_with(".*")) return false;
  const std::vector<std::string_view> octets = Split(entry.substr(0, entry.size() - 2), '.');
  if (octets.size() > 3) return false;
  std::string padded(entry.substr(0, entry.size() - 2));
  for (std::size_t i = octets.size(); i < 4; ++i) padded += ".0";
  return IpAddress::Parse(padded).has_value();
}

Result<void> ValidateProxyServer(std::string_view server) {
  const std::size_t colon = server.rfind(':');
  if (colon == std::string_view::npos) return Refuse("proxy", "has no port");
  const std::string_view host = server.substr(0, colon);
  const std::string_view port = server.substr(colon + 1);
  if (!IsPlainName(host) && !IsBracketedIpv6(host))
    return Refuse("proxy", "has a host that is not a plain name or address");
  if (port.size() > 5 || ParseDecimal(port, 65535).value_or(0) == 0)
    return Refuse("proxy", "has no port from 1 to 65535");
  return {};
}

Result<void> ValidateProxy(std::string_view proxy) {
  constexpr std::string_view kHttp = "http=";
  constexpr std::string_view kHttps = "https=";
  if (proxy.find('=') == std::string_view::npos) return ValidateProxyServer(proxy);
  const std::vector<std::string_view> parts = Split(proxy, ';');
  const bool both = parts.size() == 2 && parts[0].starts_with(kHttp) && parts[1].starts_with(kHttps);
  const bool one = parts.size() == 1 && (parts[0].starts_with(kHttp) || parts[0].starts_with(kHttps));
  if (!both && !one) return Refuse("proxy", "is not of the form host:port or http=host:port;https=host:port");
  for (const std::string_view part : parts) PROV_TRY(ValidateProxyServer(part.substr(part.find('=') + 1)));
  return {};
}

Result<void> ValidateEntry(std::string_view entry) {
  if (entry.empty()) return Refuse("bypass list", "has an empty entry");
  if (entry.front() == '.') return Refuse("bypass list", "has an entry that begins with '.'");
  if (IsBracketedIpv6(entry) || IsPlainName(entry) || IsOctetPattern(entry)) return {};
  if (entry.starts_with("*.") && IsPlainName(entry.substr(2))) return {};
  return Refuse("bypass list", "has an entry that is not a name, '*.name', address, [IPv6 address] or octet pattern");
}

}  // namespace

std::optional<WinHttpProxy> TranslateForWinHttp(const std::optional<ProxyUrl>& http,
                                                const std::optional<ProxyUrl>& https, const NoProxy* no_proxy,
                                                bool octets, Findings& findings) {
  const std::string for_http = http ? CarryProxy(*http, ProxyVariable::kHttp, findings) : std::string();
  const std::string for_https = https ? CarryProxy(*https, ProxyVariable::kHttps, findings) : std::string();
  if (for_http.empty() && for_https.empty()) return std::nullopt;
  WinHttpProxy out;
  if (for_http == for_https) {
    out.proxy = for_http;
  } else {
    if (!for_http.empty()) out.proxy = "http=" + for_http;
    if (!for_https.empty()) out.proxy += (out.proxy.empty() ? "https=" : ";https=") + for_https;
  }
  out.bypass = BypassBuilder(octets).Build(no_proxy, findings);
  return out;
}

Result<void> ValidateWinHttp(const WinHttpProxy& settings) {
  if (settings.proxy.empty()) {
    if (!settings.bypass.empty()) return Refuse("bypass list", "has no proxy that it could belong to");
    return {};
  }
  PROV_TRY(ValidateProxy(settings.proxy));
  if (settings.bypass.size() > kMaxWinHttpBypass) return Refuse("bypass list", "is too long");
  if (settings.bypass.empty() || settings.bypass == "*") return {};
  for (const std::string_view entry : Split(settings.bypass, ';')) PROV_TRY(ValidateEntry(entry));
  return {};
}

}  // namespace prov::egress
