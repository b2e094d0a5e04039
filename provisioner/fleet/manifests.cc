#include "provisioner/fleet/manifests.h"

#include <string_view>

#include "provisioner/fleet/manifest_text.h"
#include "templates/templates.h"

namespace prov::fleet {

std::string Manifests(const Deployment& deployment) {
  ManifestValues values = CommonValues(deployment.common);
  values["args"] = YamlList(deployment.args);
  const std::string& priority = deployment.common.priority_class;
  if (!priority.empty()) {
    values["priority-class"] = YamlText(priority);
    values["priority-classes"] = YamlList({priority});
  }
  std::string out;
  AppendManifest(templates::NamespaceYaml(), values, out);
  if (deployment.cluster == ClusterKind::kOpenShift)
    AppendManifest(templates::SecurityContextConstraintsYaml(), values, out);
  if (deployment.cluster == ClusterKind::kGke) AppendManifest(templates::ResourceQuotaYaml(), values, out);
  for (const std::string_view manifest : {templates::ServiceAccountYaml(), templates::NodeRoleYaml()})
    AppendManifest(manifest, values, out);
  if (deployment.source) {
    const bool is_proxy = deployment.source->kind == source::KubeKind::kProxy;
    values["pool"] = YamlList({deployment.source->name});
    AppendManifest(is_proxy ? templates::ProxyRoleYaml() : templates::PoolRoleYaml(), values, out);
    AppendManifest(templates::SourceBindingYaml(), values, out);
  }
  for (const std::string_view manifest : {templates::AdmissionPolicyYaml(), templates::DaemonSetYaml()})
    AppendManifest(manifest, values, out);
  return out;
}

}  // namespace prov::fleet
