#include "provisioner/router/router_policy.h"

namespace prov::router {

std::string_view NameOf(RouterKind kind) {
  switch (kind) {
    case RouterKind::kRedirect:
      return "redirect";
    case RouterKind::kHttpProxy:
      return "http-proxy";
    case RouterKind::kDnsProxy:
      return "dns-proxy";
  }
  return "";
}

std::string_view NameOf(Protocol protocol) {
  switch (protocol) {
    case Protocol::kTcp:
      return "tcp";
    case Protocol::kUdp:
      return "udp";
    case Protocol::kSctp:
      return "sctp";
  }
  return "";
}

std::string_view VariableOf(RouterKind kind) {
  switch (kind) {
    case RouterKind::kRedirect:
      return "EGRESS_DESTINATION";
    case RouterKind::kHttpProxy:
      return "EGRESS_HTTP_PROXY_DESTINATION";
    case RouterKind::kDnsProxy:
      return "EGRESS_DNS_PROXY_DESTINATION";
  }
  return "";
}

std::optional<RouterKind> RouterKindOf(std::string_view name) {
  for (const RouterKind kind : {RouterKind::kRedirect, RouterKind::kHttpProxy, RouterKind::kDnsProxy}) {
    if (NameOf(kind) == name) return kind;
  }
  return std::nullopt;
}

}  // namespace prov::router
