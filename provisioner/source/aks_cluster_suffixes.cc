#include "provisioner/source/aks_cluster_suffixes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "provisioner/base/text.h"
#include "provisioner/source/reading.h"

namespace prov::source {
namespace {

bool Holds(std::string_view list, std::string_view wanted) {
  return std::ranges::any_of(Split(list, ','),
                             [&](std::string_view entry) { return EqualsIgnoreAsciiCase(TrimBlanks(entry), wanted); });
}

}  // namespace

Result<void> AddClusterSuffixes(egress::EgressConfig& config) {
  if (config.source.kind != "AKS") {
    return Fail(Code::kKind,
                fmt::format("is for AKS' httpProxyConfig, whose NO_PROXY lacks .svc and .cluster.local; what this "
                            "source ({}) lists counts as it stands: leave the option out, or add them there",
                            config.source.kind),
                config.proxy_file.path);
  }
  if (!config.no_proxy) return {};
  std::string added;
  for (const std::string_view suffix : {".svc", ".cluster.local"}) {
    if (Holds(*config.no_proxy, suffix)) continue;
    *config.no_proxy += fmt::format("{}{}", config.no_proxy->empty() ? "" : ",", suffix);
    added += fmt::format("{}{}", added.empty() ? "" : " and ", suffix);
  }
  if (added.empty()) return {};
  AddInfo(config.findings, "aks-cluster-suffixes",
          fmt::format("--add-cluster-suffixes added {}; AKS itself does not, so on its own nodes and in pods the names "
                      "of services go to the proxy",
                      added),
          config.proxy_file.path);
  StateProxy(config, config.proxy_file.path);
  return {};
}

}  // namespace prov::source
