#include "provisioner/cli/deploy_source.h"

#include <fmt/format.h>

#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_uri.h"
#include "provisioner/source/source.h"
#include "provisioner/source/web_source.h"

namespace prov::cli {

Result<void> CheckDeployedSource(const Arguments& arguments, const std::string& source, SourceReader reader,
                                 Findings& findings) {
  if (source.empty()) return Fail(Code::kUsage, "is empty (an unset variable?)", "--source");
  const OptionSpec suffixes = ClusterSuffixesOption();
  const bool is_cluster = source::IsKubeUri(source);
  if (arguments.Has(suffixes.name) && (is_cluster || AsciiLower(source).starts_with("mcs://"))) {
    return Fail(Code::kUsage,
                fmt::format("is for AKS' httpProxyConfig, and {} is not one; leave the option out", Printable(source)),
                fmt::format("--{}", suffixes.name));
  }
  const bool on_nodes = reader == SourceReader::kNodes;
  if (is_cluster || (on_nodes && !source::IsRemote(source))) return {};
  const std::string scheme = AsciiLower(source.substr(0, source.find("://")));
  if (scheme == "https" || scheme == "http") {
    const source::WebSource web = PROV_TRY(source::ParseWebSource(source));
    if (web.url.find('?') != std::string::npos) {
      AddWarning(findings, "deploy-source",
                 fmt::format("has a query, which may be a token, and whoever may read {} reads it; leave the query "
                             "out, as a document with #sha256=DIGEST needs no token",
                             on_nodes ? "DaemonSets" : "Deployments"),
                 "--source");
    }
    return {};
  }
  if (on_nodes && scheme == "mcs") return {};
  return Fail(
      Code::kUsage,
      fmt::format("takes {}, not {}",
                  on_nodes
                      ? "kube:///POOL, kube:///proxy, kube:///configmap/NAMESPACE/NAME, "
                        "kube:///clustertrustbundle/NAME, https://, mcs:// or a path on the nodes"
                      : "kube:///POOL, kube:///configmap/NAMESPACE/NAME, kube:///clustertrustbundle/NAME, https:// "
                        "or http://…#sha256=… (the controller's image has no files, "
                        "such as the CA of a Machine Config Server)",
                  Printable(source::IsRemote(source) ? fmt::format("{}://", scheme) : source)),
      "--source");
}

}  // namespace prov::cli
