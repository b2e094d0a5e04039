#include "provisioner/fleet/manifests.h"

#include <string_view>

#include "provisioner/fleet/manifest_text.h"
#include "templates/templates.h"

namespace prov::fleet {

std::string Manifests(const Deployment& deployment) {
  ManifestValues values = {{"image", YamlText(deployment.image)},
                           {"args", YamlList(deployment.args)},
                           {"environment", ApiServerVariables(deployment.api_host, deployment.api_port)}};
  std::string out;
  for (const std::string_view manifest :
       {templates::NamespaceYaml(), templates::ServiceAccountYaml(), templates::NodeRoleYaml()})
    AppendManifest(manifest, values, out);
  if (deployment.source) {
    const bool is_proxy = deployment.source->kind == source::KubeKind::kProxy;
    values["pool"] = YamlList({deployment.source->name});
    AppendManifest(is_proxy ? templates::ProxyRoleYaml() : templates::PoolRoleYaml(), values, out);
    AppendManifest(templates::SourceBindingYaml(), values, out);
  }
  for (const std::string_view manifest :
       {templates::SecurityContextConstraintsYaml(), templates::AdmissionPolicyYaml(), templates::DaemonSetYaml()})
    AppendManifest(manifest, values, out);
  return out;
}

}  // namespace prov::fleet
