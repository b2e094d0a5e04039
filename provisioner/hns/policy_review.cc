// Refuses policies that HNS would silently accept but not apply.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/text.h"
#include "provisioner/hns/policy.h"

namespace prov::hns {
namespace {

constexpr std::uint64_t kMostPort = 65535;
constexpr std::uint64_t kMostPriority = 65535;
constexpr std::uint64_t kMostAuthority = (std::uint64_t{1} << 48U) - 1;
constexpr std::uint64_t kMostSubAuthority = (std::uint64_t{1} << 32U) - 1;
constexpr std::size_t kMostSubAuthorities = 15;

// Parses a number in the form for HNS: digits, no leading zero, at most `most`.
std::optional<std::uint64_t> NumberOf(std::string_view text, std::uint64_t most) {
  return text.size() > 1 && text.front() == '0' ? std::nullopt : ParseDecimal(text, most);
}

std::optional<std::uint64_t> PortOf(std::string_view text) {
  const auto port = NumberOf(text, kMostPort);
  return port == 0 ? std::nullopt : port;
}

std::optional<IpAddress> Ipv4Of(std::string_view text) {
  const auto address = IpAddress::Parse(text);
  return address && address->IsIpv4() && text.find(':') == std::string_view::npos ? address : std::nullopt;
}

bool IsIpv4Network(std::string_view text) {
  const auto network = IpNetwork::Parse(text);
  return network && network->IsIpv4() && text.find(':') == std::string_view::npos;
}

bool IsIpv6(std::string_view text) { return text.find(':') != std::string_view::npos; }

bool IsPortOrRange(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return PortOf(text).has_value();
  const auto first = PortOf(text.substr(0, dash));
  const auto last = PortOf(text.substr(dash + 1));
  return first && last && *first <= *last;
}

bool IsAddresses(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return Ipv4Of(text).has_value() || IsIpv4Network(text);
  const auto first = Ipv4Of(text.substr(0, dash));
  const auto last = Ipv4Of(text.substr(dash + 1));
  return first && last && first->bytes() <= last->bytes();
}

// S-1-AUTHORITY-SUB-…, in decimal, as Windows writes a SID.
bool IsSid(std::string_view text) {
  const std::vector<std::string_view> parts = Split(text, '-');
  if (parts.size() < 4 || parts.size() > 3 + kMostSubAuthorities || parts[0] != "S" || parts[1] != "1") return false;
  return NumberOf(parts[2], kMostAuthority) && std::all_of(parts.begin() + 3, parts.end(), [](std::string_view part) {
           return NumberOf(part, kMostSubAuthority).has_value();
         });
}

// The option of `hns-proxy` that sets a member.
std::string OptionOf(std::string_view member) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kOptions = {
      {{"Port", "--port"},
       {"InboundProxyPort", "--inbound-port"},
       {"OutboundProxyPort", "--outbound-port"},
       {"UserSID", "--usersid"},
       {"FilterTuple.LocalAddresses", "--localaddr"},
       {"FilterTuple.RemoteAddresses", "--remoteaddr"},
       {"FilterTuple.LocalPorts", "--localports"},
       {"FilterTuple.RemotePorts", "--remoteports"},
       {"FilterTuple.Priority", "--priority"},
       {"InboundExceptions.IpAddressExceptions", "--in-except-ip"},
       {"InboundExceptions.PortExceptions", "--in-except-port"},
       {"OutboundExceptions.IpAddressExceptions", "--out-except-ip"},
       {"OutboundExceptions.PortExceptions", "--out-except-port"}}};
  const auto found = std::ranges::find(kOptions, member, &decltype(kOptions)::value_type::first);
  return std::string(found == kOptions.end() ? member : found->second);
}

class Review {
 public:
  Review(const Policy& policy, CappedFindings& findings) : policy_(policy), findings_(findings) {}

  void All() {
    Plugin();
    Ports();
    Filter();
    Account();
    ReviewExceptions("InboundExceptions", policy_.inbound);
    ReviewExceptions("OutboundExceptions", policy_.outbound);
  }

 private:
  std::string Place(std::string_view member) const {
    return policy_.where.empty() ? OptionOf(member) : fmt::format("{}.{}", policy_.where, member);
  }
  void Refuse(std::string_view member, std::string message) {
    findings_.Add(Severity::kError, "policy", std::move(message), Place(member));
  }

  void Plugin() {
    if (policy_.unknown_plugin.empty()) return;
    findings_.Warn("hns-cni",
                   fmt::format("it is not known whether {} reads this entry, without which no pod gets the policy; "
                               "azure-vnet reads AdditionalArgs, win-bridge and win-overlay read policies",
                               policy_.unknown_plugin),
                   policy_.where);
  }

  void Ports() {
    if (policy_.inbound_port.empty() && policy_.outbound_port.empty()) {
      findings_.Add(Severity::kError, "policy",
                    "the policy names no port of a proxy; give --port, or InboundProxyPort, OutboundProxyPort or both",
                    policy_.where);
    }
    if (policy_.where.empty() && policy_.inbound_port == policy_.outbound_port) {
      Port("Port", policy_.inbound_port);
      return;
    }
    Port("InboundProxyPort", policy_.inbound_port);
    Port("OutboundProxyPort", policy_.outbound_port);
  }

  void Port(std::string_view member, std::string_view text) {
    if (text.empty() || PortOf(text)) return;
    Refuse(member, fmt::format("takes a port of 1 to 65535, not \"{}\"", Shorten(text)));
  }

  void Filter() {
    const FilterTuple& filter = policy_.filter;
    if (filter.protocols != "6")
      Refuse("FilterTuple.Protocols",
             fmt::format("takes \"6\" (TCP), not \"{}\": HNS redirects nothing else", Shorten(filter.protocols)));
    Addresses("FilterTuple.LocalAddresses", filter.local_addresses);
    Addresses("FilterTuple.RemoteAddresses", filter.remote_addresses);
    PortList("FilterTuple.LocalPorts", filter.local_ports);
    PortList("FilterTuple.RemotePorts", filter.remote_ports);
    if (!filter.priority.empty() && !NumberOf(filter.priority, kMostPriority))
      Refuse("FilterTuple.Priority", fmt::format("takes 0 to 65535, not \"{}\"", Shorten(filter.priority)));
  }

  void PortList(std::string_view member, std::string_view list) {
    if (list.empty()) return;
    for (const std::string_view item : Split(list, ',')) {
      if (!IsPortOrRange(item))
        Refuse(member,
               fmt::format("takes ports and ranges of 1 to 65535 such as 80,8000-8080, not \"{}\"", Shorten(item)));
    }
  }

  void Addresses(std::string_view member, std::string_view list) {
    if (list.empty()) return;
    for (const std::string_view item : Split(list, ',')) {
      if (!IsAddresses(item)) RefuseAddress(member, item, "IPv4 addresses, networks and ranges");
    }
  }

  void RefuseAddress(std::string_view member, std::string_view item, std::string_view wanted) {
    const std::string_view why = IsIpv6(item) ? ": HNS redirects no IPv6" : "";
    Refuse(member, fmt::format("takes {}, not \"{}\"{}", wanted, Shorten(item), why));
  }

  void Account() {
    const std::string& sid = policy_.user_sid;
    if (sid.empty()) {
      findings_.Warn(
          "redirect-loop",
          "the policy names no account, so what the proxy itself sends goes to the proxy again; give the SID "
          "of its account or of a group of it",
          Place("UserSID"));
    } else if (!IsSid(sid)) {
      Refuse("UserSID",
             fmt::format("takes a SID such as S-1-5-20, or system, network-service or network-configuration-operators, "
                         "not \"{}\"",
                         Shorten(sid)));
    }
  }

  void ReviewExceptions(std::string_view side, const Exceptions& exceptions) {
    const std::string addresses = fmt::format("{}.IpAddressExceptions", side);
    for (const std::string& item : exceptions.addresses) {
      if (Ipv4Of(item)) continue;
      if (!IsIpv4Network(item)) {
        RefuseAddress(addresses, item, "IPv4 addresses");
        continue;
      }
      findings_.Warn("hns-exception-network",
                     fmt::format("\"{}\" is a network, and no documentation says that HNS takes one as an exception",
                                 Shorten(item)),
                     Place(addresses));
    }
    const std::string ports = fmt::format("{}.PortExceptions", side);
    for (const std::string& item : exceptions.ports) ExceptionPort(ports, item);
  }

  void ExceptionPort(std::string_view member, std::string_view item) {
    if (PortOf(item)) return;
    const bool too_large = !item.empty() && AreDigits(item) && item.front() != '0';
    if (!too_large && !IsPortOrRange(item)) {
      Refuse(member, fmt::format("takes ports of 1 to 65535, not \"{}\"", Shorten(item)));
      return;
    }
    findings_.Warn("hns-exception-port",
                   fmt::format("\"{}\" is {}, so HNS may take it and exempt nothing", Shorten(item),
                               too_large ? "above 65535, the largest port" : "a range, which no documentation names"),
                   Place(member));
  }

  const Policy& policy_;
  CappedFindings& findings_;
};

}  // namespace

Findings Validate(std::span<const Policy> policies) {
  Findings out;
  {
    CappedFindings capped(out, policies.empty() ? std::string_view() : std::string_view(policies.front().where));
    std::map<std::string, const Policy*> known;
    for (const Policy& policy : policies) {
      Review(policy, capped).All();
      const auto [same, fresh] = known.emplace(CanonicalSettings(SettingsJson(policy)), &policy);
      if (fresh) continue;
      capped.Add(Severity::kError, "policy",
                 fmt::format("the policy is the same as {}; leave one out", same->second->where), policy.where);
    }
  }
  return out;
}

Result<Findings> RequireValid(std::span<const Policy> policies) {
  Findings out = Validate(policies);
  const auto is_error = [](const Finding& finding) { return finding.severity == Severity::kError; };
  const auto first = std::ranges::find_if(out, is_error);
  if (first == out.end()) return out;
  const auto more = std::ranges::count_if(out, is_error) - 1;
  const std::string rest = more > 0 ? fmt::format("; `hns-proxy check` shows {} more", more) : std::string();
  return Fail(Code::kPolicy, first->message + rest, first->where);
}

}  // namespace prov::hns
