// The objects that determine the addresses with which the namespaces of a cluster leave it, as `oc get … -o yaml|json`
// prints them: NetNamespaces and HostSubnets of openshift-sdn, EgressIPs of OVN-Kubernetes, Nodes and Namespaces.
// Addresses are kept as written: the evaluation reports what is wrong with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/result.h"
#include "provisioner/egressip/label_selector.h"

namespace prov::egressip {

struct NetNamespace {
  std::string name;
  std::optional<std::int64_t> net_id;
  std::vector<std::string> egress_ips;
  std::string where;  // "FILE: $.items[3]"
};

struct HostSubnet {
  std::string name;     // of the node
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
  std::string address;               // its InternalIP; "": not told
  std::vector<IpAddress> addresses;  // all that are on its interfaces, as far as they are told
  bool windows = false;
  bool ready = true;  // false: its condition Ready says so
  bool assignable = false;
  // The networks that can hold an egress IP there; nullopt: no annotation tells.
  std::optional<std::vector<IpNetwork>> networks;
  // How many the cloud gives it, in all and by family; nullopt: no bound.
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

struct EgressObjects {
  std::vector<NetNamespace> net_namespaces;
  std::vector<HostSubnet> host_subnets;
  std::vector<EgressIpObject> egress_ips;
  std::vector<NodeObject> nodes;
  std::vector<NamespaceObject> namespaces;
  std::size_t others = 0;                   // objects of kinds that say nothing about egress IPs
  std::map<std::string, std::string> seen;  // "Node win-1" and where it was
};

// Adds the objects of one document: JSON, or YAML documents, single objects and lists alike. `where` names it in
// messages. Errors: json, yaml, too-large, kind (no objects at all), type, invalid-config (no name, an object or a key
// twice, an annotation that can't be read).
Result<void> AddEgressObjects(std::string bytes, const std::string& where, EgressObjects& out);

}  // namespace prov::egressip
