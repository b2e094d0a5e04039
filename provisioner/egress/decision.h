// Where a Go client sends a request: the proxy that its scheme picks, unless NO_PROXY has the host.
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
};

// An absolute URL with a host ("https://user@host:8443/path"). Code::kUsage, `where` "url", if it is none: messages
// never quote it, since it may hold a password. Other schemes than http and https are fine; without a port theirs is 0.
Result<RequestTarget> ParseRequestTarget(std::string_view url);

// A URL, or a host, host:port or address that people list, as a URL: https where it names no scheme.
std::string RequestUrlOf(std::string_view text);

enum class Route { kDirect, kProxy, kInvalid };

struct Decision {
  Route route = Route::kDirect;
  std::string proxy;                 // redacted; "" for kDirect
  std::optional<std::string> entry;  // the first NO_PROXY entry that has the target
  std::string note;                  // why, for a person
};

// Empty texts are unset. Errors: usage (the URL), no-proxy. The result is Route::kInvalid for a proxy URL that not all
// `readers` use as intended.
Result<Decision> Decide(const Secret& http_proxy, const Secret& https_proxy, std::string_view no_proxy,
                        std::string_view url, ProxyReaders readers = ProxyReaders::kEveryClient);

}  // namespace prov::egress
