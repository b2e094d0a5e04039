#include "provisioner/router/request_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "provisioner/base/text.h"

namespace prov::router {
namespace {

using egress::ClientDecision;
using egress::Destination;
using egress::Route;

// the port of the image's squid
constexpr std::uint16_t kSquidPort = 8080;

// Whether the host is the router's source address. A redirect router does not count: it forwards only packets from
// eth0, which does not have that address.
bool IsSource(const RouterPolicy& policy, std::string_view host) {
  return policy.kind != RouterKind::kRedirect && policy.source && policy.source->address.ToString() == host;
}

// Whether the host names the router. Names in the cluster are those of Services; a Service with the router's own name
// is assumed to be the router's.
bool IsNamed(const RouterPolicy& policy, std::string_view host) {
  if (IsSource(policy, host)) return true;
  if (policy.name.empty() || !host.starts_with(policy.name)) return false;
  host.remove_prefix(policy.name.size());
  if (host.empty()) return true;
  for (const std::string_view ending : {".svc.cluster.local", ".svc"}) {
    if (!host.ends_with(ending)) continue;
    host.remove_suffix(ending.size());
    break;
  }
  if (!host.starts_with('.')) return false;
  host.remove_prefix(1);
  return policy.name_space.empty() ? host.find('.') == std::string_view::npos && !host.empty()
                                   : host == policy.name_space;
}

// Whether only the cluster's DNS knows the name. Programs on a node do not use that DNS.
bool IsNameInCluster(std::string_view host) { return host.ends_with(".svc") || host.ends_with(".cluster.local"); }

}  // namespace

struct RouterChain::Router {
  explicit Router(RouterPolicy one) : policy(std::move(one)), evaluation(policy) {}

  const RouterPolicy policy;
  const Evaluation evaluation;
};

std::string_view RequestPath::decision() const {
  if (end == End::kRouter) return NameOf(verdict);
  return end == End::kInvalid ? "invalid" : end == End::kDirect ? "direct" : "unknown";
}

bool RequestPath::Passes() const {
  return end == End::kDirect || (end == End::kRouter && (verdict == Verdict::kAllow || verdict == Verdict::kForward));
}

RouterChain::RouterChain(std::vector<RouterPolicy> policies, KnownAnswers answers) : answers_(std::move(answers)) {
  for (RouterPolicy& policy : policies) routers_.push_back(std::make_unique<const Router>(std::move(policy)));
}
RouterChain::RouterChain(RouterChain&&) noexcept = default;
RouterChain& RouterChain::operator=(RouterChain&&) noexcept = default;
RouterChain::~RouterChain() = default;

const RouterChain::Router* RouterChain::Named(std::string_view host) const {
  const std::string name = AsciiLower(host);
  const auto found = std::ranges::find_if(routers_, [&](const auto& one) { return IsNamed(one->policy, name); });
  return found == routers_.end() ? nullptr : found->get();
}

const RouterChain::Router* RouterChain::Choose(std::string_view proxy_host) const {
  if (const Router* named = Named(proxy_host)) return named;
  std::vector<const Router*> proxies;
  for (const auto& one : routers_) {
    if (one->policy.kind == RouterKind::kHttpProxy) proxies.push_back(one.get());
  }
  if (proxies.size() == 1) return proxies.front();
  return proxies.empty() && routers_.size() == 1 ? routers_.front().get() : nullptr;
}

// The only function that evaluates the rules.
RequestPath RouterChain::Evaluate(const Router& router, const std::string& destination) const {
  RequestPath out;
  const auto asked = ParseRouterDestination(router.policy.kind, destination);
  if (!asked) {
    out.note = fmt::format("the router can't be asked for {}: {}", destination, asked.error().message);
    return out;
  }
  RouterDecision decided = router.evaluation.Explain(*asked, answers_);
  out.end = RequestPath::End::kRouter;
  out.verdict = decided.verdict;
  out.router = &router.policy;
  out.line = decided.line;
  out.to = std::move(decided.to);
  out.source = std::move(decided.source);
  out.note = std::move(decided.note);
  return out;
}

// Parses a router's target, "HOST:PORT" or "[IPV6]:PORT"; without a port, `port`.
RouterChain::Endpoint RouterChain::EndpointOf(std::string_view host_port, std::uint16_t port) {
  const std::size_t colon = IpAddress::Parse(host_port) ? std::string_view::npos : host_port.rfind(':');
  std::string_view host = host_port.substr(0, colon);
  if (colon != std::string_view::npos)
    std::from_chars(host_port.data() + colon + 1, host_port.data() + host_port.size(), port);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {std::string(host), port};
}

// `asked`: the request to an HTTP proxy at the end; `port`: that of the first router.
RequestPath RouterChain::Walk(const Router& first, std::uint16_t port, const std::string& asked) const {
  std::string before;
  const Router* router = &first;
  for (std::size_t hop = 0; hop < routers_.size(); ++hop) {
    const bool is_proxy = router->policy.kind == RouterKind::kHttpProxy;
    RequestPath out = Evaluate(*router, is_proxy ? asked : fmt::format("{}", port));
    out.note = before + out.note;
    if (out.end != RequestPath::End::kRouter || out.verdict != Verdict::kForward) return out;
    const Endpoint next = EndpointOf(out.to, port);
    const Router* following = Named(next.host);
    if (following == nullptr) return out;
    before = fmt::format("{}, and so to the router of {}; ", out.note, following->policy.where);
    router = following;
    port = next.port;
  }
  RequestPath out;
  out.note = before + "these routers forward to each other without an end";
  return out;
}

// A direct request reaches a router of ports by the router's name. What is behind an HTTP proxy has another name.
RequestPath RouterChain::FollowDirect(const Destination& to, const std::string& asked) const {
  const Router* router = Named(to.name);
  if (router != nullptr && router->policy.kind != RouterKind::kHttpProxy) return Evaluate(*router, asked);
  RequestPath out;
  out.end = RequestPath::End::kDirect;
  out.to = asked;
  out.note = "it takes no router and leaves with the address of the node";
  return out;
}

RequestPath RouterChain::Follow(const Destination& to, const ClientDecision& decision) const {
  const std::string asked = WithPort(to.name, to.port);
  if (decision.route == Route::kDirect) return FollowDirect(to, asked);
  RequestPath out;
  if (decision.route == Route::kInvalid) {
    out.end = RequestPath::End::kInvalid;
    out.note = "the client can't use its proxy as it is meant";
    return out;
  }
  // WinHTTP, WinINET and Java have only HOST:PORT.
  Findings findings;
  const auto url = egress::ParseProxyUrl(Secret(std::string(decision.proxy)), egress::ProxyVariable::kHttps, "proxy",
                                         findings, egress::ProxyReaders::kThisProgram);
  if (!url) {
    out.note = fmt::format("which router it takes is not known: {}", url.error().message);
    return out;
  }
  if (const Router* router = Choose(url->host())) return Walk(*router, url->port(), asked);
  out.note = fmt::format(
      "which of the routers {} leads to is not known; give only that one with --through, or files in which its name or "
      "EGRESS_SOURCE is the host",
      url->HostPort());
  return out;
}

void RouterChain::CheckProxy(const egress::ProxyUrl& proxy, std::string_view where, Findings& findings) const {
  const auto warn = [&](std::string text) {
    AddWarning(findings, "proxy-router", std::move(text), std::string(where));
  };
  const Router* router = Choose(proxy.host());
  const Router* named = Named(proxy.host());
  if (IsNameInCluster(proxy.host()) || (named != nullptr && !IsSource(named->policy, proxy.host()))) {
    warn(
        fmt::format("the proxy's host {} is a name of the cluster's DNS, which kubelet and containerd of a node do not "
                    "ask; name a load balancer, or an address that nodes reach",
                    proxy.host()));
  }
  if (router == nullptr || router->policy.kind != RouterKind::kHttpProxy) return;
  if (proxy.scheme() == "https") {
    warn(fmt::format("the URL has https, and the squid of an egress router speaks plain HTTP; write http://{}",
                     proxy.HostPort()));
  }
  if (IsSource(router->policy, proxy.host()) && proxy.port() != kSquidPort) {
    warn(fmt::format("the URL has the port {}, and the squid of an egress router listens on {}", proxy.port(),
                     kSquidPort));
  }
}

}  // namespace prov::router
