#include "provisioner/egressip/ovn_assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace prov::egressip {

namespace {

bool AnyHas(const std::vector<IpNetwork>& networks, const IpAddress& address) {
  return std::ranges::any_of(networks, [&](const IpNetwork& one) { return one.Contains(address); });
}

bool Has(const std::vector<IpAddress>& addresses, const IpAddress& address) {
  return std::ranges::find(addresses, address) != addresses.end();
}

}  // namespace

OvnAssignment::OvnAssignment(const EgressObjects& objects, const NodeNames& offline)
    : objects_(objects), offline_(offline) {
  for (const NodeObject& node : objects.nodes) {
    if (node.windows) continue;
    annotated_ = annotated_ || node.host_addresses;
    cloud_ = cloud_ || node.cloud;
    if (!node.host_addresses && unchecked_ == nullptr) unchecked_ = &node;
  }
  if (!annotated_) unchecked_ = nullptr;
}

std::string OvnAssignment::LackOf(const NodeObject& node) const {
  constexpr std::string_view kCloud = "cloud.network.openshift.io/egress-ipconfig";
  if (cloud_ && !node.cloud) return fmt::format("it lacks the annotation {}, which other nodes have", kCloud);
  if (node.cloud && node.networks->empty()) return fmt::format("its annotation {} names no network", kCloud);
  if (annotated_ && !node.networks) return "it lacks the annotation k8s.ovn.org/node-primary-ifaddr";
  return {};
}

// The controller ignores Windows nodes, whatever their labels are.
bool OvnAssignment::Usable(const NodeObject& node) const {
  return node.assignable && !node.windows && !offline_.contains(node.name) && LackOf(node).empty();
}

const NodeObject* OvnAssignment::UsableNode(std::string_view name) const {
  const auto found = std::ranges::find(objects_.nodes, name, &NodeObject::name);
  return found == objects_.nodes.end() || !Usable(*found) ? nullptr : &*found;
}

bool OvnAssignment::HasNetworkFor(const NodeObject& node, const IpAddress& address) const {
  return !node.networks || AnyHas(*node.networks, address) || (!cloud_ && AnyHas(node.host_networks, address));
}

// If nodes have the address in the network of a second interface, the controller tries only these, for this address and
// for all that follow.
void OvnAssignment::Narrow(const IpAddress& address, Nodes& candidates) const {
  if (cloud_) return;
  Nodes second;
  std::ranges::copy_if(candidates, std::back_inserter(second), [&](const NodeObject* node) {
    return node->networks && !AnyHas(*node->networks, address) && AnyHas(node->host_networks, address);
  });
  if (!second.empty()) candidates = std::move(second);
}

const OvnAssignment::Use& OvnAssignment::UseOf(std::string_view node) const {
  static const Use kNone;
  const auto found = uses_.find(node);
  return found == uses_.end() ? kNone : found->second;
}

void OvnAssignment::Give(const IpAddress& address, const std::string& egress_ip, const std::string& node) {
  owners_.emplace(address.ToString(), Owner{egress_ip, node});
  Use& use = uses_[node];
  ++(address.IsIpv4() ? use.ipv4 : use.ipv6);
  use.egress_ips.insert(egress_ip);
}

bool OvnAssignment::HasRoomFor(const NodeObject& node, const IpAddress& address) const {
  const Use& use = UseOf(node.name);
  const auto& by_family = address.IsIpv4() ? node.capacity_ipv4 : node.capacity_ipv6;
  return (!node.capacity || use.ipv4 + use.ipv6 < *node.capacity) &&
         (!by_family || (address.IsIpv4() ? use.ipv4 : use.ipv6) < *by_family);
}

// Nodes with the fewest addresses first. Equal ones are sorted by name here; their order is arbitrary in the cluster.
OvnAssignment::Nodes OvnAssignment::Candidates() const {
  Nodes out;
  for (const NodeObject& node : objects_.nodes) {
    if (Usable(node)) out.push_back(&node);
  }
  std::ranges::sort(out, {}, [&](const NodeObject* node) {
    const Use& use = UseOf(node->name);
    return std::pair<std::int64_t, std::string_view>(use.ipv4 + use.ipv6, node->name);
  });
  return out;
}

void OvnAssignment::Keep(const EgressIpObject& egress_ip, const std::vector<IpAddress>& addresses) {
  for (const EgressIpAssignment& one : egress_ip.assigned) {
    const auto address = IpAddress::Parse(one.ip);
    if (!address || one.node.empty() || std::ranges::find(addresses, *address) == addresses.end()) continue;
    const NodeObject* node = UsableNode(one.node);
    // Without any Node object, only the status is known.
    const bool unknown = objects_.nodes.empty() && !offline_.contains(one.node);
    if (!unknown && (node == nullptr || !HasNetworkFor(*node, *address))) continue;
    if (UseOf(one.node).egress_ips.contains(egress_ip.name) || owners_.contains(address->ToString())) continue;
    Give(*address, egress_ip.name, one.node);
  }
}

// Why no node may ever have the address; "" if one may. The controller does not look at the addresses of Windows nodes.
std::string OvnAssignment::Obstacle(const EgressIpObject& egress_ip, const IpAddress& address) const {
  const std::string shown = address.ToString();
  for (const NodeObject& node : objects_.nodes) {
    if (!node.windows && Has(node.host_addresses.value_or(node.addresses), address))
      return fmt::format("{} is an address of the node {} itself", shown, node.name);
  }
  const auto owner = owners_.find(shown);
  if (owner != owners_.end() && owner->second.egress_ip != egress_ip.name)
    return fmt::format("{} belongs to the EgressIP {} already", shown, owner->second.egress_ip);
  return {};
}

OvnAssignment::Given OvnAssignment::AssignOne(const EgressIpObject& egress_ip, const IpAddress& address,
                                              const Nodes& candidates) {
  const std::string shown = address.ToString();
  if (candidates.empty()) {
    return {.reason = objects_.nodes.empty()
                          ? fmt::format("{} is on no node by the status, and the files hold no Nodes", shown)
                          : fmt::format("{} finds no node that is online and has the label "
                                        "k8s.ovn.org/egress-assignable",
                                        shown)};
  }
  Given out;
  bool network = false;
  bool room = false;
  for (const NodeObject* one : candidates) {
    if (!HasNetworkFor(*one, address)) continue;
    network = true;
    if (!HasRoomFor(*one, address)) continue;
    room = true;
    if (UseOf(one->name).egress_ips.contains(egress_ip.name)) continue;
    if (!out.node.empty()) {
      out.others = true;
      break;
    }
    out.node = one->name;
  }
  if (!out.node.empty()) {
    Give(address, egress_ip.name, out.node);
  } else if (!network) {
    out.reason = fmt::format("{} is in no network of a node that could have it", shown);
  } else if (!room) {
    out.reason = fmt::format("{} finds no node with room for one more address", shown);
  } else {
    out.reason = fmt::format("{} finds no node that has none of this EgressIP yet", shown);
  }
  return out;
}

std::vector<OvnAssignment::Given> OvnAssignment::Assign(const EgressIpObject& egress_ip,
                                                        const std::vector<IpAddress>& addresses) {
  std::vector<Given> out;
  Nodes candidates = Candidates();
  const std::size_t all = candidates.size();
  for (const IpAddress& address : addresses) {
    const auto kept = owners_.find(address.ToString());
    if (kept != owners_.end() && kept->second.egress_ip == egress_ip.name) {
      out.push_back({.node = kept->second.node, .kept = true});
    } else if (std::string obstacle = Obstacle(egress_ip, address); !obstacle.empty()) {
      out.push_back({.conflict = true, .reason = std::move(obstacle)});
    } else if (unchecked_ != nullptr) {
      out.push_back({.reason = fmt::format("{} is not assigned while the node {} lacks the annotation "
                                           "k8s.ovn.org/host-cidrs",
                                           address.ToString(), unchecked_->name)});
    } else {
      const bool narrow = candidates.size() < all;
      Narrow(address, candidates);
      out.push_back(AssignOne(egress_ip, address, candidates));
      if (!out.back().node.empty() || !narrow) continue;
      out.back().reason +=
          ", as an address of a second network comes first, and behind it only that network's nodes are tried; the "
          "cluster takes the addresses in no fixed order";
    }
  }
  return out;
}

}  // namespace prov::egressip
