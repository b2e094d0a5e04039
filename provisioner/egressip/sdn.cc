// openshift-sdn: a namespace that requests addresses leaves with the active ones, and never with a node's address.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "provisioner/base/text.h"
#include "provisioner/egressip/plugins.h"
#include "provisioner/egressip/sdn_tracker.h"

namespace prov::egressip {
namespace {

constexpr std::string_view kOnlyIpv4 = "openshift-sdn takes IPv4 only";

// Why the text is not a valid address; "" if it is.
std::string FaultOf(std::string_view text, const std::optional<IpAddress>& address) {
  if (!address) return fmt::format("\"{}\" is not an IP address", Shorten(text));
  return address->IsIpv4() ? "" : fmt::format("{} is an IPv6 address, and {}", address->ToString(), kOnlyIpv4);
}

std::string FaultOf(std::string_view text, const std::optional<IpNetwork>& network) {
  if (!network) return fmt::format("\"{}\" is not a network such as 10.0.0.0/24", Shorten(text));
  return network->IsIpv4() ? "" : fmt::format("{} is an IPv6 network, and {}", network->ToString(), kOnlyIpv4);
}

// A group of namespaces, with the contents of their NetNamespaces.
struct Members {
  std::vector<const NetNamespace*> namespaces;
  std::size_t invalid = 0;  // number of invalid requests
};

class Sdn {
 public:
  Sdn(const EgressObjects& objects, const NodeNames& offline, EgressReport& out)
      : offline_(offline),
        out_(out),
        findings_(out.findings, "egress IPs"),
        tracker_{Nodes(objects), Groups(objects)} {}

  void Evaluate() {
    const AddressSet chosen = tracker_.AssignByCidrs();
    for (std::size_t group = 0; group < members_.size(); ++group) Decide(group);
    for (const auto& [address, claim] : tracker_.claims()) ReportClaim(address, claim);
    for (const IpAddress& address : chosen) ReportChoice(address);
  }

 private:
  std::vector<SdnNode> Nodes(const EgressObjects& objects);
  SdnNode Node(const HostSubnet& subnet);
  std::vector<SdnGroup> Groups(const EgressObjects& objects);
  SdnGroup Group(Members& members);
  void Decide(std::size_t group);
  std::string Why(const IpAddress& address, const SdnGroup& group) const;
  std::string NamesOf(const std::vector<std::size_t>& nodes) const;
  std::string NamespacesOf(const std::vector<std::size_t>& groups) const;
  void ReportClaim(const IpAddress& address, const SdnClaim& claim);
  void ReportChoice(const IpAddress& address);
  void ReportUnlikeMembers(const Members& members, const NetNamespace& counting);

  const NodeNames& offline_;
  EgressReport& out_;
  CappedFindings findings_;
  std::vector<std::string> places_;  // of the nodes
  std::vector<Members> members_;     // by group
  SdnTracker tracker_;               // made from these
};

// A HostSubnet with an invalid entry is ignored completely.
SdnNode Sdn::Node(const HostSubnet& subnet) {
  SdnNode out{subnet.name, {}, {}, offline_.contains(subnet.name)};
  bool valid = true;
  const auto refuse = [&](const std::string& fault, std::string_view member) {
    valid = false;
    findings_.Add(
        Severity::kError, "egress-ip-address",
        fmt::format("{}; openshift-sdn ignores all egress settings of the node {} for it", fault, subnet.name),
        fmt::format("{}.{}", subnet.where, member));
  };
  for (const std::string& text : subnet.egress_ips) {
    const auto address = IpAddress::Parse(text);
    if (const std::string fault = FaultOf(text, address); !fault.empty()) {
      refuse(fault, "egressIPs");
    } else {
      out.addresses.insert(*address);
    }
  }
  for (const std::string& text : subnet.egress_cidrs) {
    const auto network = IpNetwork::Parse(text);
    if (const std::string fault = FaultOf(text, network); !fault.empty()) {
      refuse(fault, "egressCIDRs");
    } else {
      out.cidrs.push_back(*network);
    }
  }
  if (!valid) {
    out.addresses.clear();
    out.cidrs.clear();
  }
  return out;
}

std::vector<SdnNode> Sdn::Nodes(const EgressObjects& objects) {
  std::vector<const HostSubnet*> sorted;
  sorted.reserve(objects.host_subnets.size());
  for (const HostSubnet& one : objects.host_subnets) sorted.push_back(&one);
  std::ranges::sort(sorted, {}, [](const HostSubnet* one) -> const std::string& { return one->name; });
  std::vector<SdnNode> out;
  out.reserve(sorted.size());
  for (const HostSubnet* one : sorted) {
    out.push_back(Node(*one));
    places_.push_back(one->where);
  }
  return out;
}

std::vector<SdnGroup> Sdn::Groups(const EgressObjects& objects) {
  std::map<std::int64_t, std::size_t> by_id;
  for (const NetNamespace& one : objects.net_namespaces) {
    std::size_t at = members_.size();
    if (one.net_id) at = by_id.emplace(*one.net_id, at).first->second;
    if (at == members_.size()) members_.emplace_back();
    members_[at].namespaces.push_back(&one);
  }
  std::vector<SdnGroup> out;
  out.reserve(members_.size());
  for (Members& members : members_) out.push_back(Group(members));
  return out;
}

void Sdn::ReportUnlikeMembers(const Members& members, const NetNamespace& counting) {
  for (const NetNamespace* one : members.namespaces) {
    if (one->egress_ips == counting.egress_ips) continue;
    findings_.Warn("egress-ip-overlap",
                   fmt::format("the namespaces {} and {} have one NetID and request different addresses: those that "
                               "openshift-sdn read last count for both; give both the same list",
                               counting.name, one->name),
                   one->where);
    return;
  }
}

SdnGroup Sdn::Group(Members& members) {
  SdnGroup out;
  const auto requests = [](const NetNamespace* one) { return !one->egress_ips.empty(); };
  const auto counting = std::ranges::find_if(members.namespaces, requests);
  if (counting == members.namespaces.end()) return out;
  ReportUnlikeMembers(members, **counting);
  for (const std::string& text : (*counting)->egress_ips) {
    const auto address = IpAddress::Parse(text);
    if (const std::string fault = FaultOf(text, address); !fault.empty()) {
      ++members.invalid;
      findings_.Add(Severity::kError, "egress-ip-address",
                    fmt::format("{}, so no node can have it for the namespace {}", fault, (*counting)->name),
                    (*counting)->where + ".egressIPs");
    } else if (std::ranges::find(out.requested, *address) == out.requested.end()) {
      out.requested.push_back(*address);
    }
  }
  return out;
}

std::string Sdn::NamesOf(const std::vector<std::size_t>& nodes) const {
  std::vector<std::string_view> names;
  names.reserve(nodes.size());
  for (const std::size_t node : nodes) names.push_back(tracker_.nodes()[node].name);
  return fmt::format("{}", fmt::join(names, " and "));
}

std::string Sdn::NamespacesOf(const std::vector<std::size_t>& groups) const {
  std::vector<std::string_view> names;
  names.reserve(groups.size());
  for (const std::size_t group : groups) names.push_back(members_[group].namespaces.front()->name);
  return fmt::format("{}", fmt::join(names, " and "));
}

// Why a requested address can't be used; "" if it can.
std::string Sdn::Why(const IpAddress& address, const SdnGroup& group) const {
  const std::string shown = address.ToString();
  const SdnClaim& claim = *tracker_.ClaimOf(address);
  if (claim.groups.size() > 1) return fmt::format("{} is requested by {}", shown, NamespacesOf(claim.groups));
  if (claim.nodes.empty()) return fmt::format("{} is on no node", shown);
  if (claim.nodes.size() > 1)
    return fmt::format("{} is on the nodes {}, which must not be", shown, NamesOf(claim.nodes));
  const SdnNode& node = tracker_.nodes()[claim.nodes.front()];
  if (!tracker_.ActiveNode(address)) {
    for (const IpAddress& other : group.requested) {
      if (other != address && tracker_.ClaimOf(other)->nodes == claim.nodes)
        return fmt::format("{} and {} are on one node, {}", shown, other.ToString(), node.name);
    }
  }
  return node.offline ? fmt::format("{} is on the offline node {}", shown, node.name) : "";
}

void Sdn::Decide(std::size_t group) {
  const Members& members = members_[group];
  const SdnGroup& wanted = tracker_.groups()[group];
  NamespaceEgress decision;
  std::vector<std::string> reasons;
  bool shared = false;  // one shared address makes all of them unusable
  for (const IpAddress& address : wanted.requested) {
    shared = shared || tracker_.ClaimOf(address)->groups.size() > 1;
    if (const std::string why = Why(address, wanted); !why.empty()) {
      reasons.push_back(why);
    } else {
      decision.addresses.push_back({address.ToString(), tracker_.nodes()[*tracker_.ActiveNode(address)].name});
    }
  }
  if (shared) decision.addresses.clear();
  if (members.invalid > 0) reasons.emplace_back("an entry of egressIPs is not an IPv4 address");
  const std::string told = fmt::format("{}", fmt::join(reasons, "; "));
  if (wanted.requested.empty() && members.invalid == 0) {
    decision.reason = "it requests no egress IP, so each pod leaves with the address of its node";
  } else if (decision.addresses.empty()) {
    decision.decision = EgressDecision::kDropped;
    decision.reason = fmt::format("no requested address is active: {}", told);
  } else {
    decision.decision = EgressDecision::kEgressIp;
    decision.reason = told.empty() ? "all requested addresses are active" : told;
  }
  for (const EgressIpAssignment& one : decision.addresses) {
    if (NodeEgress* node = FindNode(out_, one.node)) node->egress_ips.push_back(one.ip);
  }
  for (const NetNamespace* one : members.namespaces) {
    decision.name = one->name;
    out_.namespaces.push_back(decision);
  }
}

void Sdn::ReportClaim(const IpAddress& address, const SdnClaim& claim) {
  const std::string shown = address.ToString();
  const std::string place =
      claim.groups.empty() ? places_[claim.nodes.front()] : members_[claim.groups.front()].namespaces.front()->where;
  if (claim.groups.empty()) {
    findings_.Add(Severity::kInfo, "egress-ip-unused",
                  fmt::format("{} is on the node {}, and no namespace requests it", shown, NamesOf(claim.nodes)),
                  place);
    return;
  }
  const SdnGroup& group = tracker_.groups()[claim.groups.front()];
  const std::string why = Why(address, group);
  if (why.empty()) return;
  if (claim.groups.size() > 1) {
    findings_.Warn(
        "egress-ip-conflict",
        why + ": no namespace gets it, and all traffic of these namespaces is dropped, whatever else they request",
        place);
  } else if (claim.nodes.empty()) {
    findings_.Warn("egress-ip-unassigned",
                   fmt::format("{}: no HostSubnet has it in egressIPs, and no node that is online can take it by its "
                               "egressCIDRs",
                               why),
                   place);
  } else if (tracker_.ActiveNode(address)) {
    findings_.Warn("egress-ip-offline",
                   group.requested.size() > 1
                       ? why + ", so the namespace leaves with its others"
                       : why +
                             ", which openshift-sdn goes on using, as the namespace requests no other one: what it "
                             "sends is lost",
                   place);
  } else {
    findings_.Warn("egress-ip-conflict", why + ": openshift-sdn uses none of these", place);
  }
}

void Sdn::ReportChoice(const IpAddress& address) {
  const auto node = tracker_.ActiveNode(address);
  if (!node) return;
  findings_.Add(Severity::kInfo, "egress-ip-choice",
                fmt::format("{} lies in the egressCIDRs of several nodes: it is taken to be on {}, and the cluster may "
                            "choose another one",
                            address.ToString(), tracker_.nodes()[*node].name),
                places_[*node]);
}

}  // namespace

void EvaluateSdn(const EgressObjects& objects, const NodeNames& offline, EgressReport& out) {
  Sdn(objects, offline, out).Evaluate();
}

}  // namespace prov::egressip
