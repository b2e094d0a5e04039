// OVN-Kubernetes: pods that an EgressIP selects leave with those of its addresses that are assigned to a node. If none
// is assigned, they leave with the address of their own node.
#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egressip/ovn_assignment.h"
#include "provisioner/egressip/plugins.h"

namespace prov::egressip {
namespace {

class Ovn {
 public:
  Ovn(const EgressObjects& objects, const NodeNames& offline, EgressReport& out)
      : objects_(objects), out_(out), findings_(out.findings, "egress IPs"), assignment_(objects, offline) {}

  void Evaluate() {
    for (const EgressIpObject& one : objects_.egress_ips) egress_ips_.push_back({&one, Addresses(one), {}, {}});
    std::ranges::sort(egress_ips_, {}, [](const Entry& one) -> const std::string& { return one.object->name; });
    for (const Entry& one : egress_ips_) assignment_.Keep(*one.object, one.wanted);
    for (Entry& one : egress_ips_) Assign(one);
    for (const NamespaceObject& one : objects_.namespaces) Decide(one);
    ReportUnused();
    ReportNodes();
  }

 private:
  struct Entry {
    const EgressIpObject* object;
    std::vector<IpAddress> wanted;  // empty if one of them is invalid
    std::vector<EgressIpAssignment> active;
    std::vector<std::string> missing;  // the reasons
    bool used = false;
  };

  std::vector<IpAddress> Addresses(const EgressIpObject& egress_ip);
  void Assign(Entry& entry);
  void Decide(const NamespaceObject& space);
  void ReportOverlap(const NamespaceObject& space, const std::vector<Entry*>& selecting);
  void ReportWindowsAddress(const Entry& entry, const IpAddress& address);
  void ReportStop(const Entry& entry, const std::vector<OvnAssignment::Given>& given);
  void ReportUnused();
  void ReportNodes();

  const EgressObjects& objects_;
  EgressReport& out_;
  CappedFindings findings_;
  OvnAssignment assignment_;
  std::vector<Entry> egress_ips_;
};

// If one address is invalid, the controller assigns none of the EgressIP.
std::vector<IpAddress> Ovn::Addresses(const EgressIpObject& egress_ip) {
  std::vector<IpAddress> out;
  for (std::size_t i = 0; i < egress_ip.egress_ips.size(); ++i) {
    const std::string& text = egress_ip.egress_ips[i];
    const auto address = IpAddress::Parse(text);
    if (!address) {
      findings_.Add(
          Severity::kError, "egress-ip-address",
          fmt::format("egress IP: {} for object EgressIP: {} is not a valid IP address, and no address of the "
                      "object is assigned",
                      Shorten(text), egress_ip.name),
          fmt::format("{}.spec.egressIPs[{}]", egress_ip.where, i));
      return {};
    }
    if (std::ranges::find(out, *address) == out.end()) out.push_back(*address);
  }
  return out;
}

void Ovn::Assign(Entry& entry) {
  const std::vector<OvnAssignment::Given> given = assignment_.Assign(*entry.object, entry.wanted);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string shown = entry.wanted[i].ToString();
    if (given[i].node.empty()) {
      entry.missing.push_back(given[i].reason);
      findings_.Warn("egress-ip-unassigned", given[i].reason, entry.object->where + ".spec.egressIPs");
      continue;
    }
    entry.active.push_back({shown, given[i].node});
    ReportWindowsAddress(entry, entry.wanted[i]);
    if (NodeEgress* node = FindNode(out_, given[i].node)) node->egress_ips.push_back(shown);
    if (!given[i].others) continue;
    findings_.Add(
        Severity::kInfo, "egress-ip-choice",
        fmt::format("{} could be on several nodes: it is taken to be on {}, and the cluster may choose another "
                    "one",
                    shown, given[i].node),
        entry.object->where);
  }
  if (entry.wanted.empty()) entry.missing.emplace_back("it has no valid addresses");
  ReportStop(entry, given);
}

// The controller checks an address against those of the nodes that OVN serves.
void Ovn::ReportWindowsAddress(const Entry& entry, const IpAddress& address) {
  const auto found = std::ranges::find_if(objects_.nodes, [&](const NodeObject& node) {
    return node.windows && std::ranges::find(node.addresses, address) != node.addresses.end();
  });
  if (found == objects_.nodes.end()) return;
  findings_.Warn("egress-ip-conflict",
                 fmt::format("{} is the address of the Windows node {}, with which the controller does not compare it: "
                             "two machines answer for it",
                             address.ToString(), found->name),
                 entry.object->where + ".spec.egressIPs");
}

// Reports where the versions of OVN-Kubernetes differ.
void Ovn::ReportStop(const Entry& entry, const std::vector<OvnAssignment::Given>& given) {
  const auto conflict = std::ranges::find_if(given, &OvnAssignment::Given::conflict);
  const bool assigns = std::ranges::any_of(given, [](const auto& one) { return !one.node.empty() && !one.kept; });
  if (conflict == given.end() || !assigns) return;
  findings_.Add(Severity::kInfo, "egress-ip-version",
                fmt::format("{}; OVN-Kubernetes before 1.3 (7feb1238d, February 2026) stops there, and as it takes the "
                            "addresses in no fixed order, it may leave others of the EgressIP {} unassigned, too",
                            conflict->reason, entry.object->name),
                entry.object->where + ".spec.egressIPs");
}

// Reports namespaces in which several EgressIPs select the same pods, as far as their selectors show it.
void Ovn::ReportOverlap(const NamespaceObject& space, const std::vector<Entry*>& selecting) {
  const auto shares = [&](const Entry* one) {
    return std::ranges::any_of(selecting, [&](const Entry* other) {
      if (one == other) return false;
      if (!one->object->pods || !other->object->pods) return true;
      return one->object->pods->Implies(*other->object->pods) || other->object->pods->Implies(*one->object->pods);
    });
  };
  std::vector<std::string_view> names;
  for (const Entry* one : selecting) {
    if (shares(one)) names.push_back(one->object->name);
  }
  if (names.empty()) return;
  findings_.Warn("egress-ip-overlap",
                 fmt::format("the EgressIPs {} select pods of the namespace {} together: one of them counts for such a "
                             "pod, and which is not defined",
                             fmt::join(names, " and "), space.name),
                 space.where);
}

void Ovn::Decide(const NamespaceObject& space) {
  std::vector<Entry*> selecting;
  for (Entry& one : egress_ips_) {
    if (!one.object->namespaces.Matches(space.labels)) continue;
    one.used = true;
    selecting.push_back(&one);
  }
  ReportOverlap(space, selecting);
  NamespaceEgress out{.name = space.name, .addresses = {}, .reason = {}};
  std::vector<std::string> reasons;
  for (const Entry* one : selecting) {
    out.addresses.insert(out.addresses.end(), one->active.begin(), one->active.end());
    out.selected.push_back({one->object->name, one->object->pods, one->active});
    std::string reason = fmt::format("the EgressIP {} selects it", one->object->name);
    if (one->object->pods) {
      reason += fmt::format(", of its pods those with {}; the others leave with the address of their node",
                            one->object->pods->ToString());
    }
    if (!one->missing.empty()) reason += fmt::format(" ({})", fmt::join(one->missing, "; "));
    reasons.push_back(std::move(reason));
  }
  if (!out.addresses.empty()) out.decision = EgressDecision::kEgressIp;
  out.reason = fmt::format("{}", fmt::join(reasons, "; "));
  if (selecting.empty()) {
    out.reason = "no EgressIP selects it, so each pod leaves with the address of its node";
  } else if (out.addresses.empty()) {
    out.reason += ", and no node has an address of it, so each pod leaves with the address of its node";
  }
  out_.namespaces.push_back(std::move(out));
}

void Ovn::ReportUnused() {
  for (const Entry& one : egress_ips_) {
    if (one.used) continue;
    if (objects_.namespaces.empty()) {
      findings_.Warn("egress-ip-unused",
                     fmt::format("the files hold no Namespaces, so what the EgressIP {} selects is not known; add what "
                                 "`oc get namespaces -o yaml` prints",
                                 one.object->name),
                     one.object->where);
      continue;
    }
    findings_.Add(Severity::kInfo, "egress-ip-unused",
                  fmt::format("the EgressIP {} selects no namespace of the files by {}", one.object->name,
                              one.object->namespaces.ToString()),
                  one.object->where + ".spec.namespaceSelector");
  }
}

void Ovn::ReportNodes() {
  bool linux_node = false;
  for (const NodeObject& node : objects_.nodes) {
    linux_node = linux_node || !node.windows;
    if (node.windows && node.assignable) {
      findings_.Warn("egress-ip-windows",
                     fmt::format("the node {} has the label k8s.ovn.org/egress-assignable and runs Windows: it gets no "
                                 "egress IP",
                                 node.name),
                     node.where);
    }
    if (node.windows) continue;
    if (const std::string lack = assignment_.LackOf(node); node.assignable && !lack.empty())
      findings_.Warn("egress-ip-node", fmt::format("the node {} can have no egress IP: {}", node.name, lack),
                     node.where);
    if (!assignment_.annotated() || node.host_addresses) continue;
    findings_.Warn("egress-ip-node",
                   fmt::format("the node {} lacks the annotation k8s.ovn.org/host-cidrs: until it has it, the "
                               "controller assigns no further egress IP to any node",
                               node.name),
                   node.where);
  }
  if (!linux_node || assignment_.annotated() || objects_.egress_ips.empty()) return;
  findings_.Warn("egress-ip-incomplete",
                 "no Node has the annotation k8s.ovn.org/host-cidrs, so the files are taken to be shortened: conflicts "
                 "with other addresses of the nodes are not known, nor are their second networks",
                 objects_.nodes.front().where);
}

}  // namespace

void EvaluateOvn(const EgressObjects& objects, const NodeNames& offline, EgressReport& out) {
  Ovn(objects, offline, out).Evaluate();
}

}  // namespace prov::egressip
