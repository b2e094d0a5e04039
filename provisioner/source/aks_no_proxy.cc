#include "provisioner/source/aks_no_proxy.h"

#include <algorithm>
#include <set>

namespace prov::source {

std::vector<std::string> AksInjected(const AksFacts& facts) {
  std::vector<std::string> out = {"localhost", "127.0.0.1", "168.63.129.16", "169.254.169.254", "konnectivity"};
  for (const auto* list :
       {&facts.api_servers, &facts.service_cidrs, &facts.pod_cidrs, &facts.vnet_cidrs, &facts.subnet_cidrs})
    out.insert(out.end(), list->begin(), list->end());
  return out;
}

std::string AksUnknown(const AksFacts& facts) {
  std::string out;
  const auto add = [&](bool known, std::string_view words) {
    if (known) return;
    if (!out.empty()) out += ", ";
    out += words;
  };
  add(!facts.api_servers.empty(), "the API server's name");
  add(!facts.service_cidrs.empty(), "the service range");
  // Which of the two there is depends on the network plugin.
  add(!facts.pod_cidrs.empty() || !facts.subnet_cidrs.empty(), "the pods' or nodes' range");
  add(!facts.vnet_cidrs.empty(), "the virtual network's range");
  return out;
}

std::string JoinNoProxy(std::span<const std::string_view> user, std::vector<std::string> others) {
  std::ranges::sort(others);
  std::set<std::string_view> seen;
  std::string out;
  const auto add = [&](std::string_view entry) {
    if (entry.empty() || !seen.insert(entry).second) return;
    if (!out.empty()) out += ',';
    out += entry;
  };
  for (const std::string_view entry : user) add(entry);
  for (const std::string& entry : others) add(entry);
  return out;
}

}  // namespace prov::source
