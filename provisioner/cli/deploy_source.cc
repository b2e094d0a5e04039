#include "provisioner/cli/deploy_source.h"

#include <fmt/format.h>

#include "provisioner/base/text.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_uri.h"
#include "provisioner/source/source.h"
#include "provisioner/source/web_source.h"

namespace prov::cli {

Result<void> CheckDeployedSource(const Arguments& arguments, const std::string& source) {
  if (source.empty()) return Fail(Code::kUsage, "is empty (an unset variable?)", "--source");
  const OptionSpec suffixes = ClusterSuffixesOption();
  const bool is_cluster = source::IsKubeUri(source);
  if (arguments.Has(suffixes.name) && (is_cluster || AsciiLower(source).starts_with("mcs://"))) {
    return Fail(Code::kUsage,
                fmt::format("is for AKS' httpProxyConfig, and {} is not one; leave the option out", Printable(source)),
                fmt::format("--{}", suffixes.name));
  }
  if (is_cluster || !source::IsRemote(source)) return {};
  const std::string scheme = AsciiLower(source.substr(0, source.find("://")));
  if (scheme == "https" || scheme == "http") {
    PROV_TRY(source::ParseWebSource(source));
    return {};
  }
  if (scheme == "mcs") return {};
  return Fail(Code::kUsage,
              fmt::format("takes kube:///POOL, kube:///proxy, https://, mcs:// or a path on the nodes, not {}://",
                          Printable(scheme)),
              "--source");
}

}  // namespace prov::cli
