// The policy of an egress router, independent of the form in which it was written. Every reader returns it, and every
// renderer takes it. Facts: docs/egress-router.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/ip_address.h"
#include "provisioner/base/result.h"

namespace prov::router {

// The annotation that gives a router's pod its macvlan interface (OpenShift SDN).
inline constexpr std::string_view kMacvlanAnnotation = "pod.network.openshift.io/assign-macvlan";

enum class RouterKind {
  kRedirect,   // a port of the router forwards to an address
  kHttpProxy,  // squid: a list of allowed and denied destinations
  kDnsProxy,   // haproxy: a port of the router forwards to an address or a name
};
enum class Protocol { kTcp, kUdp, kSctp };

std::string_view NameOf(RouterKind kind);      // "redirect", "http-proxy", "dns-proxy"
std::string_view NameOf(Protocol protocol);    // "tcp", "udp", "sctp"
std::string_view VariableOf(RouterKind kind);  // of its destinations: "EGRESS_DESTINATION", …
std::optional<RouterKind> RouterKindOf(std::string_view name);

// Forwards a port of the router or, as the last rule, every other port and protocol.
struct RedirectRule {
  std::size_t line = 0;  // in the destinations, from 1
  bool fallback = false;
  std::uint16_t port = 0;
  Protocol protocol = Protocol::kTcp;
  IpAddress to{IpAddress::Bytes{}};
  std::uint16_t to_port = 0;  // 0: the same port
  // Where the packets of an EgressRouter's rule really go, at their own port, if its plugin makes another address of
  // `to` and `to_port`.
  std::optional<IpAddress> misread = {};
};

struct HttpRule {
  enum class Match {
    kAll,      // "*", the last rule
    kNetwork,  // squid's dst
    kDomain,   // squid's dstdomain
  };

  std::size_t line = 0;
  bool allow = true;
  Match match = Match::kAll;
  std::string text = {};  // the text for squid: "10.0.0.0/8", "example.com", ".example.com"
  std::optional<IpNetwork> network = {};
};

struct DnsRule {
  std::size_t line = 0;
  std::uint16_t port = 0;
  std::string to = {};  // an IPv4 address or a name
  bool is_name = false;
  std::uint16_t to_port = 0;
};

// EGRESS_SOURCE.
struct SourceAddress {
  IpAddress address{IpAddress::Bytes{}};
  std::optional<unsigned> prefix = {};  // as written
};

struct RouterPolicy {
  RouterKind kind = RouterKind::kRedirect;
  bool is_cni = false;          // from an EgressRouter object: egress-router-cni makes the rules
  std::string where = {};       // place of the destinations, in which lines are counted
  std::string text = {};        // the destinations as written; "" for an EgressRouter
  std::string name = {};        // of the object; "" if there is none
  std::string name_space = {};  // "" if the object has none
  // Of its pods; nullopt: no file has a pod of it.
  std::optional<std::map<std::string, std::string, std::less<>>> labels = {};
  std::optional<SourceAddress> source = {};
  std::optional<IpAddress> gateway = {};
  // Only the rules of its kind; the others are empty.
  std::vector<RedirectRule> redirect = {};
  std::vector<HttpRule> http = {};
  std::vector<DnsRule> dns = {};
  Findings findings = {};  // about values that upstream accepts but reads differently
};

struct PolicyFile {
  std::string bytes = {};
  std::string where = {};  // for messages
};

// Settings from the command line, in addition to the files.
struct PolicyRequest {
  std::optional<RouterKind> kind = {};  // of a plain list of destinations; nullopt: its lines decide
  std::string source = {};              // IP or IP/N, used if no file has EGRESS_SOURCE; "" for none
  std::string gateway = {};
};

// Reads all routers of the files. The files belong together: a ConfigMap of one may hold the destinations of a pod of
// another, and one that no pod uses is a router of its own. A file holds EGRESS_* assignments, a plain list of
// destinations, or objects as JSON or YAML: ConfigMap, Pod and objects that create pods, EgressRouter. Errors:
// destination (with the line), json, yaml, type, kind, invalid-config, too-large.
Result<std::vector<RouterPolicy>> ReadRouterPolicies(const std::vector<PolicyFile>& files,
                                                     const PolicyRequest& request = {});

// Reads the only router of a file. Errors: the same, and kind if there are several.
Result<RouterPolicy> ReadRouterPolicy(std::string bytes, const std::string& where, const PolicyRequest& request = {});

}  // namespace prov::router
