// How openshift-sdn hands out egress IPs: which node and which namespaces claim an address, whether it is active, and
// how addresses are spread over nodes with egressCIDRs.
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

// The namespaces of one NetID; they are one to the network.
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

  // Spreads the addresses over the nodes with egressCIDRs as the master does, round by round until nothing moves. Gives
  // back the addresses that several nodes could have got.
  AddressSet AssignByCidrs();

  const std::vector<SdnNode>& nodes() const { return nodes_; }
  const std::vector<SdnGroup>& groups() const { return groups_; }
  const std::map<IpAddress, SdnClaim, AddressOrder>& claims() const { return claims_; }
  const SdnClaim* ClaimOf(const IpAddress& address) const;
  // The node that has it for its namespace: exactly one node and one namespace claim it, and this namespace requests no
  // other address of that node.
  std::optional<std::size_t> ActiveNode(const IpAddress& address) const;

 private:
  using Allocation = std::map<std::size_t, AddressSet>;  // by node; those with egressCIDRs
  struct Found {
    std::optional<std::size_t> node;
    bool others = false;  // could have it, too
  };

  void Claim();
  AddressSet NotForCidrs() const;
  bool AllocateExisting(Allocation& allocation, AddressSet& done) const;
  // Adds to `chosen` the addresses that several nodes could have got.
  void AllocateNew(Allocation& allocation, AddressSet& done, AddressSet& chosen) const;
  Found Find(const IpAddress& address, const Allocation& allocation) const;
  bool HasOneOfItsGroup(const IpAddress& address, std::size_t node, const Allocation& allocation) const;
  Allocation Reallocate(AddressSet& chosen) const;

  std::vector<SdnNode> nodes_;
  std::vector<SdnGroup> groups_;
  std::map<IpAddress, SdnClaim, AddressOrder> claims_;
};

}  // namespace prov::egressip
