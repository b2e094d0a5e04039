#include "provisioner/egressip/pod_egress.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

namespace prov::egressip {
namespace {

using Verdict = PodEgressAnswer::Verdict;

constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";

std::string HowToResolve(const EgressTarget& to) {
  return to.addresses ? "" : fmt::format("; give --resolve {}=IP", to.host);
}

void ReportUnread(const EgressObjects& objects, Findings& out) {
  CappedFindings findings(out, "the objects of the cluster");
  for (const EgressFirewall& one : objects.firewalls) {
    if (std::ranges::all_of(one.rules, [](const auto& rule) { return rule.dns_name.empty(); })) continue;
    findings.Add(Severity::kInfo, "egress-dns-name",
                 "rules with dnsName are compared by name here, and by the addresses of that name in the cluster: they "
                 "also have other names with these addresses",
                 one.where);
  }
  for (const UnreadObject& one : objects.unread) {
    findings.Warn(
        "egress-unread",
        fmt::format("objects of the kind {} decide about the traffic of pods, too, and are not read", one.kind),
        one.where);
  }
}

// Adds the namespace with the only label that is known, if the files do not have it.
void AddByName(const std::string& name, EgressObjects& objects, Findings& out) {
  if (std::ranges::find(objects.namespaces, name, &NamespaceObject::name) != objects.namespaces.end()) return;
  objects.namespaces.push_back({.name = name, .labels = {{std::string(kNameLabel), name}}, .where = {}});
  const bool by_name = std::ranges::all_of(
      objects.egress_ips, [](const EgressIpObject& one) { return one.namespaces.HasOnlyKey(kNameLabel); });
  if (by_name) return;
  AddWarning(out, "egress-ip-incomplete",
             fmt::format("the files hold no Namespace {}, so whether an EgressIP selects it by other labels than its "
                         "name is not known; add what `oc get namespaces -o yaml` prints",
                         name));
}

}  // namespace

bool PodEgress::Concerns(const EgressObjects& objects) {
  return !objects.egress_ips.empty() || !objects.net_namespaces.empty() || !objects.host_subnets.empty() ||
         !objects.firewalls.empty() || !objects.network_policies.empty();
}

Result<PodEgress> PodEgress::Make(EgressObjects objects, const std::vector<std::string>& name_spaces) {
  PodEgress out;
  std::set<std::string> names(name_spaces.begin(), name_spaces.end());
  for (const EgressFirewall& one : objects.firewalls) names.insert(one.name_space);
  for (const NetworkPolicy& one : objects.network_policies) names.insert(one.name_space);
  names.erase("");
  for (const std::string& name : names) AddByName(name, objects, out.report_.findings);
  out.objects_ = std::move(objects);
  const bool addresses =
      !out.objects_.egress_ips.empty() || !out.objects_.net_namespaces.empty() || !out.objects_.host_subnets.empty();
  if (addresses) {
    EgressReport report = PROV_TRY(EvaluateEgressIps(out.objects_, {}));
    report.findings.insert(report.findings.begin(), out.report_.findings.begin(), out.report_.findings.end());
    out.report_ = std::move(report);
  }
  ReportUnread(out.objects_, out.report_.findings);
  return out;
}

std::string PodEgress::OnlyNamespace() const {
  std::set<std::string> names;
  for (const EgressFirewall& one : objects_.firewalls) names.insert(one.name_space);
  for (const NetworkPolicy& one : objects_.network_policies) {
    if (one.egress) names.insert(one.name_space);
  }
  for (const NamespaceEgress& one : report_.namespaces) {
    if (!one.selected.empty() || one.decision != EgressDecision::kNodeIp) names.insert(one.name);
  }
  return names.size() == 1 ? *names.begin() : std::string();
}

PodEgress::Match PodEgress::MatchPort(const std::vector<PolicyPort>& ports, const EgressTarget& to) {
  if (ports.empty()) return Match::kYes;
  Match out = Match::kNo;
  for (const PolicyPort& port : ports) {
    if (port.protocol != to.protocol) continue;
    if (port.first == 0 || (port.first <= to.port && to.port <= port.last)) return Match::kYes;
    if (to.port == 0) out = Match::kMaybe;
  }
  return out;
}

// A name whose addresses are not known is taken to have one of IPv4.
PodEgress::Match PodEgress::MatchNetwork(const IpNetwork& network, const EgressTarget& to) {
  if (!to.addresses) {
    if (!network.IsIpv4()) return Match::kNo;
    return network.prefix() == 0 ? Match::kYes : Match::kMaybe;
  }
  const auto inside = std::ranges::count_if(*to.addresses, [&](const IpAddress& one) { return network.Contains(one); });
  if (inside == 0) return Match::kNo;
  return inside == std::ranges::ssize(*to.addresses) ? Match::kYes : Match::kMaybe;
}

// The star of "*.example.com" stands for one label.
PodEgress::Match PodEgress::MatchName(std::string_view pattern, const EgressTarget& to) {
  std::string_view host = to.host;
  if (pattern.starts_with("*.")) {
    const std::size_t dot = host.find('.');
    if (dot == 0 || dot == std::string_view::npos) return Match::kNo;
    host.remove_prefix(dot);
    pattern.remove_prefix(1);
  }
  return host == pattern ? Match::kYes : Match::kNo;
}

PodEgress::Match PodEgress::MatchRule(const EgressFirewallRule& rule, const EgressTarget& to) {
  const Match port = MatchPort(rule.ports, to);
  if (rule.network) return std::min(port, MatchNetwork(*rule.network, to));
  return rule.dns_name.empty() ? Match::kNo : std::min(port, MatchName(rule.dns_name, to));
}

PodEgress::Match PodEgress::MatchRule(const NetworkPolicyRule& rule, const EgressTarget& to) {
  const Match port = MatchPort(rule.ports, to);
  if (rule.everywhere) return port;
  Match out = Match::kNo;
  for (const NetworkPolicyBlock& block : rule.blocks) {
    Match one = MatchNetwork(block.network, to);
    for (const IpNetwork& except : block.except) {
      const Match left_out = MatchNetwork(except, to);
      if (left_out == Match::kYes) one = Match::kNo;
      if (left_out == Match::kMaybe) one = std::min(one, Match::kMaybe);
    }
    out = std::max(out, one);
  }
  return std::min(port, out);
}

PodEgress::Match PodEgress::Selects(const std::optional<LabelSelector>& pods, const EgressPod& pod) {
  if (!pods || pods->IsEmpty()) return Match::kYes;
  if (!pod.labels) return Match::kMaybe;
  return pods->Matches(*pod.labels) ? Match::kYes : Match::kNo;
}

// If a policy for egress selects the pod, only what a rule of such policies allows leaves it.
std::optional<PodEgressAnswer> PodEgress::StoppedByPolicies(const EgressPod& pod, const EgressTarget& to) const {
  Match selected = Match::kNo;
  Match allowed = Match::kNo;
  std::vector<std::string> names;
  for (const NetworkPolicy& policy : objects_.network_policies) {
    if (policy.name_space != pod.name_space || !policy.egress) continue;
    const Match selects = Selects(policy.pods, pod);
    if (selects == Match::kNo) continue;
    selected = std::max(selected, selects);
    names.push_back(fmt::format("{} ({})", policy.name, policy.where));
    for (const NetworkPolicyRule& rule : policy.rules)
      allowed = std::max(allowed, std::min(selects, MatchRule(rule, to)));
  }
  if (selected == Match::kNo || allowed == Match::kYes) return std::nullopt;
  const std::string which = fmt::format("the NetworkPolicies of {} ({})", pod.name_space, fmt::join(names, ", "));
  if (selected == Match::kYes && allowed == Match::kNo)
    return PodEgressAnswer{Verdict::kStopped, {}, which + " have no rule that allows it"};
  return PodEgressAnswer{
      Verdict::kDepends,
      {},
      fmt::format("it depends on {}{}", which,
                  pod.labels ? HowToResolve(to) : ", as the labels of the proxy's pods are not known")};
}

// The first rule that matches decides; without one the traffic passes.
std::optional<PodEgressAnswer> PodEgress::StoppedByFirewall(const EgressPod& pod, const EgressTarget& to) const {
  for (const EgressFirewall& firewall : objects_.firewalls) {
    if (firewall.name_space != pod.name_space) continue;
    std::optional<std::size_t> maybe;  // the first rule that may decide otherwise than the one that does
    std::optional<std::size_t> decides;
    for (std::size_t i = 0; i < firewall.rules.size() && !decides; ++i) {
      const Match match = MatchRule(firewall.rules[i], to);
      if (match == Match::kYes) decides = i;
      if (match == Match::kMaybe && !maybe) maybe = i;
    }
    const bool allows = !decides || firewall.rules[*decides].allow;
    const auto place = [&](std::size_t rule) { return fmt::format("{}.spec.egress[{}]", firewall.where, rule); };
    const std::size_t end = decides.value_or(firewall.rules.size());
    for (std::size_t i = maybe.value_or(end); i < end; ++i) {
      if (MatchRule(firewall.rules[i], to) != Match::kMaybe || firewall.rules[i].allow == allows) continue;
      return PodEgressAnswer{Verdict::kDepends,
                             {},
                             fmt::format("it depends on DNS whether rule {} of the EgressFirewall of {} ({}) has it{}",
                                         i + 1, pod.name_space, place(i), HowToResolve(to))};
    }
    if (allows) return std::nullopt;
    return PodEgressAnswer{Verdict::kStopped,
                           {},
                           fmt::format("rule {} of the EgressFirewall of {} ({}) denies it", *decides + 1,
                                       pod.name_space, place(*decides))};
  }
  return std::nullopt;
}

PodEgressAnswer PodEgress::SourceOf(const EgressPod& pod, const EgressTarget& to) const {
  const auto space = std::ranges::find(report_.namespaces, pod.name_space, &NamespaceEgress::name);
  if (space == report_.namespaces.end())
    return {.note = fmt::format("no object says with which address pods of {} leave", pod.name_space)};
  if (space->decision == EgressDecision::kDropped)
    return {Verdict::kStopped, {}, fmt::format("{}: {}", pod.name_space, space->reason)};
  std::vector<EgressIpAssignment> addresses =
      space->selected.empty() ? space->addresses : std::vector<EgressIpAssignment>();
  for (const SelectedPods& one : space->selected) {
    const Match selects = Selects(one.pods, pod);
    if (selects == Match::kMaybe) {
      return {.note = fmt::format("the EgressIP {} selects pods of {} by labels, and those of the proxy's pods are not "
                                  "known",
                                  one.egress_ip, pod.name_space)};
    }
    if (selects == Match::kYes) addresses.insert(addresses.end(), one.addresses.begin(), one.addresses.end());
  }
  // Packets of IPv4 leave with an address of IPv4.
  std::erase_if(addresses, [&](const EgressIpAssignment& one) {
    const auto source = IpAddress::Parse(one.ip);
    return source && to.addresses && !to.addresses->empty() &&
           std::ranges::none_of(*to.addresses, [&](const IpAddress& at) { return at.IsIpv4() == source->IsIpv4(); });
  });
  if (addresses.empty()) {
    const std::string reason = space->selected.empty() ? "no EgressIP selects it" : space->reason;
    return {.note = fmt::format("the pod of {} leaves with the address of its node: {}", pod.name_space, reason)};
  }
  std::vector<std::string> sources;
  std::vector<std::string> shown;
  sources.reserve(addresses.size());
  shown.reserve(addresses.size());
  for (const EgressIpAssignment& one : addresses) {
    sources.push_back(one.ip);
    shown.push_back(fmt::format("{} on {}", one.ip, one.node));
  }
  return {Verdict::kPasses, fmt::format("{}", fmt::join(sources, " or ")),
          fmt::format("the pod of {} leaves with the egress IP {}", pod.name_space, fmt::join(shown, " or "))};
}

PodEgressAnswer PodEgress::Follow(const EgressPod& pod, const EgressTarget& to) const {
  const auto policies = StoppedByPolicies(pod, to);
  const auto firewall = StoppedByFirewall(pod, to);
  for (const auto* one : {&policies, &firewall}) {
    if (*one && (*one)->verdict == Verdict::kStopped) return **one;
  }
  for (const auto* one : {&policies, &firewall}) {
    if (*one) return **one;
  }
  return SourceOf(pod, to);
}

}  // namespace prov::egressip
