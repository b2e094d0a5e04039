// The objects that determine with which addresses the namespaces of a cluster leave it, and whether they may, as `oc
// get … -o yaml|json` prints them: NetNamespaces and HostSubnets of openshift-sdn, EgressIPs and EgressFirewalls of
// OVN-Kubernetes, NetworkPolicies, Nodes and Namespaces.
// Addresses are kept as written, so that the evaluation can report their faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/result.h"
#include "provisioner/egressip/egress_policies.h"
#include "provisioner/egressip/label_selector.h"

namespace prov::egressip {

struct NetNamespace {
  std::string name;
  std::optional<std::int64_t> net_id;
  std::vector<std::string> egress_ips;
  std::string where;  // "FILE: $.items[3]"
};

struct HostSubnet {
  std::string name;     // the node's name
  std::string host_ip;  // the node's address
  std::vector<std::string> egress_ips;
  std::vector<std::string> egress_cidrs;
  std::string where;
};

struct EgressIpAssignment {
  std::string ip;
  std::string node;

  bool operator==(const EgressIpAssignment&) const = default;
};

struct EgressIpObject {
  std::string name;
  std::vector<std::string> egress_ips;
  LabelSelector namespaces;
  std::optional<LabelSelector> pods;         // absent or empty: all pods
  std::vector<EgressIpAssignment> assigned;  // status.items
  std::string where;
};

struct NodeObject {
  std::string name;
  std::string address;               // its InternalIP; "": unknown
  std::vector<IpAddress> addresses;  // of its status
  // The addresses of its interfaces, by k8s.ovn.org/host-cidrs; nullopt: it has no such annotation.
  std::optional<std::vector<IpAddress>> host_addresses = {};
  bool windows = false;
  bool ready = true;  // false by its condition Ready
  bool assignable = false;
  bool cloud = false;  // it has the annotation of a cloud, which then lists the only networks
  // The networks of OVN, or those of the cloud; nullopt: no annotation lists them.
  std::optional<std::vector<IpNetwork>> networks;
  std::vector<IpNetwork> host_networks = {};  // of its other interfaces
  // How many egress IPs the cloud allows the node, in total and by family; nullopt: no limit.
  std::optional<std::int64_t> capacity = {};
  std::optional<std::int64_t> capacity_ipv4 = {};
  std::optional<std::int64_t> capacity_ipv6 = {};
  std::string where = {};
};

struct NamespaceObject {
  std::string name;
  Labels labels;
  std::string where;
};

// Objects that decide about the traffic of pods and are not read, with their places.
struct UnreadObject {
  std::string kind;
  std::string where;
};

struct EgressObjects {
  std::vector<NetNamespace> net_namespaces;
  std::vector<HostSubnet> host_subnets;
  std::vector<EgressIpObject> egress_ips;
  std::vector<NodeObject> nodes;
  std::vector<NamespaceObject> namespaces;
  std::vector<EgressFirewall> firewalls;
  std::vector<NetworkPolicy> network_policies;
  std::vector<UnreadObject> unread;
  std::size_t others = 0;                   // objects of other kinds, which have no effect on egress IPs
  std::map<std::string, std::string> seen;  // "Node win-1" and its place
};

// Adds the objects of one document: JSON or YAML documents, single objects and lists alike. `where` names it in
// messages. Errors: json, yaml, too-large, kind (not an object), type, invalid-config (no name, a repeated object or
// key, a malformed annotation).
Result<void> AddEgressObjects(std::string bytes, const std::string& where, EgressObjects& out);

}  // namespace prov::egressip
