#include "provisioner/hns/no_proxy_exceptions.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"

namespace prov::hns {
namespace {

using egress::NoProxyEntry;

constexpr unsigned kAllBits = 32;

// The entry's address; "" if it can't be an exception, with the reason in `why`.
std::string AddressOf(const NoProxyEntry& entry, std::string& why) {
  if (entry.port) {
    why = "is for one port, and an exception is for an address or for a port";
    return {};
  }
  if (entry.address ? !entry.address->IsIpv4() : entry.network && !entry.network->IsIpv4()) {
    why = "is IPv6, which HNS does not redirect";
    return {};
  }
  switch (entry.kind) {
    case NoProxyEntry::Kind::kAddress:
      return entry.address->ToString();
    case NoProxyEntry::Kind::kNetwork:
      if (entry.network->prefix() == kAllBits) return entry.network->address().ToString();
      why = "is a network, and no documentation says that HNS takes one as an exception";
      return {};
    case NoProxyEntry::Kind::kHost:
    case NoProxyEntry::Kind::kSuffix:
      why = "is a name, and HNS knows addresses only";
      return {};
    case NoProxyEntry::Kind::kAll:
      why = "matches every destination; omit the policy if no traffic should be redirected";
      return {};
    case NoProxyEntry::Kind::kInert:
      why = "matches nothing";
      return {};
  }
  return {};
}

}  // namespace

void AddNoProxy(const egress::NoProxy& no_proxy, const std::string& where, Policy& policy, Findings& findings) {
  CappedFindings capped(findings, where);
  std::vector<std::string>& addresses = policy.outbound.addresses;
  for (const NoProxyEntry& entry : no_proxy.entries()) {
    std::string why;
    const std::string address = AddressOf(entry, why);
    if (address.empty()) {
      capped.Warn("hns-no-proxy", fmt::format("\"{}\" {}", Shorten(egress::RedactNoProxyEntry(entry.text)), why),
                  where);
    } else if (std::ranges::find(addresses, address) == addresses.end()) {
      addresses.push_back(address);
    }
  }
}

}  // namespace prov::hns
