#include "provisioner/router/router_policy.h"

#include <algorithm>
#include <array>

namespace prov::router {

namespace {

// In the order of the enums.
constexpr std::array<std::string_view, 3> kKinds = {"redirect", "http-proxy", "dns-proxy"};
constexpr std::array<std::string_view, 3> kVariables = {"EGRESS_DESTINATION", "EGRESS_HTTP_PROXY_DESTINATION",
                                                        "EGRESS_DNS_PROXY_DESTINATION"};
constexpr std::array<std::string_view, 3> kProtocols = {"tcp", "udp", "sctp"};

}  // namespace

std::string_view NameOf(RouterKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::string_view NameOf(Protocol protocol) { return kProtocols[static_cast<std::size_t>(protocol)]; }
std::string_view VariableOf(RouterKind kind) { return kVariables[static_cast<std::size_t>(kind)]; }

std::optional<RouterKind> RouterKindOf(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name);
  if (found == kKinds.end()) return std::nullopt;
  return static_cast<RouterKind>(found - kKinds.begin());
}

}  // namespace prov::router
