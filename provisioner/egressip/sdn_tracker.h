// How openshift-sdn assigns egress IPs: which node and which namespaces claim an address, whether it is active, and how
// addresses are distributed over nodes with egressCIDRs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "provisioner/base/ip_address.h"

namespace prov::egressip {

struct AddressOrder {
  bool operator()(const IpAddress& a, const IpAddress& b) const { return a.bytes() < b.bytes(); }
};
using AddressSet = std::set<IpAddress, AddressOrder>;

struct SdnNode {
  std::string name;
  std::vector<IpNetwork> cidrs;
  AddressSet addresses;
  bool offline = false;
};

// The namespaces with one NetID, which the network treats as one.
struct SdnGroup {
  std::vector<IpAddress> requested;  // each once
};

struct SdnClaim {
  std::vector<std::size_t> nodes;   // by index
  std::vector<std::size_t> groups;  // by index
};

class SdnTracker {
 public:
  SdnTracker(std::vector<SdnNode> nodes, std::vector<SdnGroup> groups);

  // Distributes the addresses over the nodes with egressCIDRs as the master does, in rounds until nothing changes.
  // Returns the addresses that more than one node could have got.
  AddressSet AssignByCidrs();

  const std::vector<SdnNode>& nodes() const { return nodes_; }
  const std::vector<SdnGroup>& groups() const { return groups_; }
  const std::map<IpAddress, SdnClaim, AddressOrder>& claims() const { return claims_; }
  const SdnClaim* ClaimOf(const IpAddress& address) const;
  // The node on which the address is active: exactly one node and one namespace claim it, and this namespace requests
  // no other address of that node.
  std::optional<std::size_t> ActiveNode(const IpAddress& address) const;

 private:
  using Allocation = std::map<std::size_t, AddressSet>;  // by node, for nodes with egressCIDRs
  struct Found {
    std::optional<std::size_t> node;
    bool others = false;  // other nodes were possible
  };

  void Claim();
  AddressSet NotForCidrs() const;
  bool AllocateExisting(Allocation& allocation, AddressSet& done) const;
  // Adds the addresses that more than one node could have got to `chosen`.
  void AllocateNew(Allocation& allocation, AddressSet& done, AddressSet& chosen) const;
  Found Find(const IpAddress& address, const Allocation& allocation) const;
  bool HasOneOfItsGroup(const IpAddress& address, std::size_t node, const Allocation& allocation) const;
  Allocation Reallocate(AddressSet& chosen) const;

  std::vector<SdnNode> nodes_;
  std::vector<SdnGroup> groups_;
  std::map<IpAddress, SdnClaim, AddressOrder> claims_;
};

}  // namespace prov::egressip
