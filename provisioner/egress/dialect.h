// NO_PROXY in the dialects of the clients that run on nodes: they read the same list differently. Sources:
// x/net/http/httpproxy; curl 7.88.1, 8.14.1 and 8.23.0 and .NET 10.0.12, as observed; urllib of Python 3.11; requests
// 2.34; Java 17's DefaultProxySelector; Node.js 22.21, 24.22 and 26.12, as observed; for WinHTTP and WinINET published
// measurements, which could not be repeated here. tests/differential queries those clients that run on Linux.
// docs/clients.md has the rules.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/result.h"
#include "provisioner/egress/decision.h"
#include "provisioner/egress/no_proxy.h"

namespace prov::egress {

enum class Dialect {
  kGo,        // kubelet, containerd, WMCO: the reading that a cluster's NO_PROXY is written for
  kCurl,      // 8.18 and later
  kCurl8,     // 8.14
  kCurl7,     // 7.88
  kDotnet,    // up to 10: services and PowerShell 7, from the environment
  kWinHttp,   // the bypass list of WinHttpSettings
  kWinInet,   // the list of exceptions in the registry; also .NET Framework and PowerShell 5.1
  kPython,    // urllib
  kRequests,  // Python's requests
  kJava,      // http.nonProxyHosts
  // Not among the ten default dialects:
  kDotnet11,     // reads networks
  kNodeHttp,     // Node.js with NODE_USE_ENV_PROXY=1: its modules http and https, from 24.18 on
  kNodeFetch,    // its fetch and WebSocket, from 26.12 on
  kNodeFetch24,  // the same, 24.15 to 26.10
};

inline constexpr std::array<Dialect, 10> kDialects = {
    Dialect::kGo,      Dialect::kCurl,    Dialect::kCurl8,  Dialect::kCurl7,    Dialect::kDotnet,
    Dialect::kWinHttp, Dialect::kWinInet, Dialect::kPython, Dialect::kRequests, Dialect::kJava};
inline constexpr std::size_t kDialectCount = kDialects.size() + 4;

std::string_view NameOf(Dialect dialect);  // "go", "curl", "curl8", "curl7", "dotnet", …
std::optional<Dialect> DialectOf(std::string_view name);
bool IsNode(Dialect dialect);               // a part of Node.js, in any version
std::string_view TitleOf(Dialect dialect);  // for people: with the version where readings differ: "curl 7.88"

// The URL of a request in the forms in which clients compare its host, computed once for all clients.
struct Destination {
  std::string scheme;          // lower case
  std::string host;            // as written, IPv6 without brackets
  std::uint16_t port = 0;      // explicit or the scheme's
  bool is_ipv6 = false;        // written in brackets
  bool has_zone = false;       // of IPv6; no other member but `authority` has the zone
  std::string name;            // `host` in ASCII lower case
  std::string authority;       // `name`, IPv6 in brackets and with its zone
  std::string authority_port;  // with ":port" as written, if there is one
  std::string name_port;       // `name` and ":port" as a number, if there is one
  // The address as curl and .NET read it: IPv4 in all forms of inet_aton (10.1, 0x7f.1), and IPv6, in canonical form;
  // else `name`.
  std::string normal;
  std::string normal_authority;  // IPv6 in brackets
  // The host as the URL standard and so Node.js write it, IPv6 without brackets: as `normal`, but 10.0.0.1. is an
  // address, too, and IPv6 has no part with dots. A name that is not ASCII is not converted.
  std::string url_host;
  std::optional<IpAddress> address;   // of a plain address (Go's rules)
  std::optional<IpAddress> resolved;  // of `normal`
};

// Errors: usage, as in ParseRequestTarget, and for hosts above 1024 bytes; messages never quote the URL.
Result<Destination> ParseDestination(std::string_view url);

// ParseDestination() for the URL of one request: an asterisk or a comma in its host is an error (usage), too, because
// no request goes to a pattern or to a list.
Result<Destination> ParseRequest(std::string_view url);

struct Bypass {
  enum class Kind {
    kNo,
    kImplicit,  // direct whatever the list says
    kEntry,
    kInvalid,  // the client can use neither the list nor any proxy
  };
  Kind kind = Kind::kNo;
  std::string_view entry = {};  // kEntry: the first entry that matches; valid as long as the list
};

// A list as one client reads it.
class DialectList {
 public:
  DialectList() = default;
  DialectList(const DialectList&) = delete;
  DialectList& operator=(const DialectList&) = delete;
  virtual ~DialectList() = default;
  virtual Bypass Find(const Destination& destination) const = 0;
};

// `dialect`: neither kWinHttp nor kWinInet, which do not read NO_PROXY.
std::unique_ptr<DialectList> CompileNoProxy(Dialect dialect, const NoProxy& list);

// `bypass`: the text in WinHttpSettings or in the registry's ProxyOverride. `dialect`: kWinHttp or kWinInet.
std::unique_ptr<DialectList> CompileBypassList(Dialect dialect, std::string_view bypass);

}  // namespace prov::egress
