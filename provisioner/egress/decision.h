// Decides like a Go client where a request goes: to the proxy for its scheme, unless NO_PROXY matches the host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::egress {

// The parts of a request's URL that the decision depends on.
struct RequestTarget {
  std::string scheme;  // lower case
  std::string host;    // as written, IPv6 without brackets
  std::uint16_t port = 0;
  std::string zone = {};  // of an IPv6 address: the interface, "eth0"
};

// Whether the URL may have an IPv6 address with a zone ("[fe80::1%25eth0]", also with a lone %), which is one of the
// machine alone.
enum class Zones { kRefused, kTaken };

// Parses an absolute URL with a host ("https://user@host:8443/path"). Other schemes than http and https are accepted;
// without a port theirs is 0. Errors: usage, with `where` "url"; the message never quotes the URL, because it may hold
// a password.
Result<RequestTarget> ParseRequestTarget(std::string_view url, Zones zones = Zones::kRefused);

// Turns a URL, host, host:port or address from a list into a URL: https if it has no scheme.
std::string RequestUrlOf(std::string_view text);

enum class Route { kDirect, kProxy, kInvalid };

struct Decision {
  Route route = Route::kDirect;
  std::string proxy;                 // redacted; "" for kDirect
  std::optional<std::string> entry;  // the first NO_PROXY entry that matches the target
  std::string note;                  // the reason, as text for people
};

// Empty texts are unset. The result is Route::kInvalid for a proxy URL that not all `readers` use as intended. Errors:
// usage (the URL), no-proxy.
Result<Decision> Decide(const Secret& http_proxy, const Secret& https_proxy, std::string_view no_proxy,
                        std::string_view url, ProxyReaders readers = ProxyReaders::kEveryClient);

}  // namespace prov::egress
