#include "provisioner/egressip/ovn_assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace prov::egressip {

OvnAssignment::OvnAssignment(const EgressObjects& objects, const NodeNames& offline)
    : objects_(objects), offline_(offline) {}

// The controller ignores Windows nodes, whatever their labels are.
bool OvnAssignment::Usable(const NodeObject& node) const {
  return node.assignable && !node.windows && !offline_.contains(node.name);
}

const NodeObject* OvnAssignment::UsableNode(std::string_view name) const {
  const auto found = std::ranges::find(objects_.nodes, name, &NodeObject::name);
  return found == objects_.nodes.end() || !Usable(*found) ? nullptr : &*found;
}

bool OvnAssignment::HasNetworkFor(const NodeObject& node, const IpAddress& address) {
  return !node.networks ||
         std::ranges::any_of(*node.networks, [&](const IpNetwork& one) { return one.Contains(address); });
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
std::vector<const NodeObject*> OvnAssignment::Candidates() const {
  std::vector<const NodeObject*> out;
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

// Why no node may ever have the address; "" if one may.
std::string OvnAssignment::Obstacle(const EgressIpObject& egress_ip, const IpAddress& address) const {
  const std::string shown = address.ToString();
  for (const NodeObject& node : objects_.nodes) {
    if (std::ranges::find(node.addresses, address) != node.addresses.end())
      return fmt::format("{} is an address of the node {} itself", shown, node.name);
  }
  const auto owner = owners_.find(shown);
  if (owner != owners_.end() && owner->second.egress_ip != egress_ip.name)
    return fmt::format("{} belongs to the EgressIP {} already", shown, owner->second.egress_ip);
  return {};
}

OvnAssignment::Given OvnAssignment::AssignOne(const EgressIpObject& egress_ip, const IpAddress& address) {
  const std::string shown = address.ToString();
  const std::vector<const NodeObject*> candidates = Candidates();
  if (candidates.empty()) {
    return {"", false,
            objects_.nodes.empty() ? fmt::format("{} is on no node by the status, and the files hold no Nodes", shown)
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
  std::string stopped;  // after the first obstacle, the controller assigns no further address
  for (const IpAddress& address : addresses) {
    const auto kept = owners_.find(address.ToString());
    if (kept != owners_.end() && kept->second.egress_ip == egress_ip.name) {
      out.push_back({kept->second.node});
      continue;
    }
    if (stopped.empty()) {
      const std::string obstacle = Obstacle(egress_ip, address);
      out.push_back(obstacle.empty() ? AssignOne(egress_ip, address) : Given{"", false, obstacle});
      stopped = obstacle;
    } else {
      out.push_back({"", false, fmt::format("{} is not reached, as {}", address.ToString(), stopped)});
    }
  }
  return out;
}

}  // namespace prov::egressip
