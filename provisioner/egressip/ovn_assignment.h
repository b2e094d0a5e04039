// Assigns egress IPs to nodes as OVN-Kubernetes 1.3 does: existing assignments stay if they are still possible; the
// others go to the nodes with the fewest. Facts: docs/egress-systems.md#egress-ips-of-ovn-kubernetes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "provisioner/base/ip_address.h"
#include "provisioner/egressip/plugins.h"

namespace prov::egressip {

class OvnAssignment {
 public:
  struct Given {
    std::string node = {};    // "": none
    bool kept = false;        // it was there before
    bool others = false;      // other nodes were possible
    bool conflict = false;    // no node may have it; before 1.3 the controller stopped there
    std::string reason = {};  // why there is no node
  };

  OvnAssignment(const EgressObjects& objects, const NodeNames& offline);

  // The nodes for the addresses of an EgressIP, in order. Call Keep() for all EgressIPs first.
  std::vector<Given> Assign(const EgressIpObject& egress_ip, const std::vector<IpAddress>& addresses);
  // Records the assignments in the status of an EgressIP that are still valid.
  void Keep(const EgressIpObject& egress_ip, const std::vector<IpAddress>& addresses);

  // Whether the nodes have the annotations that the controller reads. If none has, the files are shortened, and each
  // node is taken to be right.
  bool annotated() const { return annotated_; }
  // Why the controller can't use a node whatever its label says; "" if it can.
  std::string LackOf(const NodeObject& node) const;

 private:
  struct Owner {
    std::string egress_ip;
    std::string node;
  };
  struct Use {  // of a node
    std::int64_t ipv4 = 0;
    std::int64_t ipv6 = 0;
    std::set<std::string, std::less<>> egress_ips;  // names of the EgressIPs with an address on the node
  };

  const NodeObject* UsableNode(std::string_view name) const;
  bool Usable(const NodeObject& node) const;
  bool HasNetworkFor(const NodeObject& node, const IpAddress& address) const;
  const Use& UseOf(std::string_view node) const;
  void Give(const IpAddress& address, const std::string& egress_ip, const std::string& node);
  bool HasRoomFor(const NodeObject& node, const IpAddress& address) const;
  using Nodes = std::vector<const NodeObject*>;
  Nodes Candidates() const;
  void Narrow(const IpAddress& address, Nodes& candidates) const;
  Given AssignOne(const EgressIpObject& egress_ip, const IpAddress& address, const Nodes& candidates);
  std::string Obstacle(const EgressIpObject& egress_ip, const IpAddress& address) const;

  const EgressObjects& objects_;
  const NodeNames& offline_;
  bool annotated_ = false;
  bool cloud_ = false;
  const NodeObject* unchecked_ = nullptr;         // a node that ends each assignment, as its addresses are not known
  std::map<std::string, Owner> owners_;           // by address
  std::map<std::string, Use, std::less<>> uses_;  // by node
};

}  // namespace prov::egressip
