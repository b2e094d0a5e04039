// The machine proxy of WinHTTP, translated from HTTP_PROXY, HTTPS_PROXY and NO_PROXY so that no more requests go around
// the proxy than in Go. What its list can express: docs/formats/winhttp-settings.md#the-bypass-list.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::egress {

// The two strings of WinHttpSettings; ASCII.
struct WinHttpProxy {
  std::string proxy;   // "host:port", "http=h:p", "https=h:p" or "http=h:p;https=h:p"; "" = direct
  std::string bypass;  // entries joined by ';'; at most kMaxWinHttpBypass bytes

  bool operator==(const WinHttpProxy&) const = default;
};

inline constexpr std::size_t kMaxWinHttpBypass = kMaxVariableUnits;  // as for the variable with the same list

// nullopt if neither proxy can be expressed. A WinHTTP list has globs on the host's text. What it can't express is left
// out (the traffic then goes to the proxy) and reported:
//   winhttp-https-proxy  a proxy with https:// is left out: those requests go direct in WinHTTP
//   winhttp-idn          a proxy or entry that is not ASCII is left out
//   winhttp-credentials  user and password are left out: the proxy will answer 407
//   winhttp-cidr         a network is left out
//   winhttp-port         an entry with a port is left out
//   winhttp-name         an entry that would be no valid WinHTTP pattern is left out
//   winhttp-length       entries beyond kMaxWinHttpBypass are left out
//   winhttp-octets       `octets` only: octet patterns also match names such as 10.0.evil.example
// `octets` writes IPv4 networks as octet patterns (10.*) or single addresses. The list always has localhost, 127.0.0.1
// (127.* with octets) and [::1], which Go never proxies. One difference remains: WinHTTP ignores case, so LOCALHOST is
// direct there but not in Go.
std::optional<WinHttpProxy> TranslateForWinHttp(const std::optional<ProxyUrl>& http,
                                                const std::optional<ProxyUrl>& https, const NoProxy* no_proxy,
                                                bool octets, Findings& findings);

// Refuses (fail-open) what WinHTTP would reject, or read as "everything direct": '/', blanks, control characters, bytes
// outside ASCII, a leading '.', '<local>', stray wildcards, credentials, schemes, and a bypass list without a proxy.
// "*" is accepted as the only entry.
Result<void> ValidateWinHttp(const WinHttpProxy& settings);

}  // namespace prov::egress
