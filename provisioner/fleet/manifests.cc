#include "provisioner/fleet/manifests.h"

#include <string_view>

#include "provisioner/fleet/manifest_text.h"
#include "templates/templates.h"

namespace prov::fleet {

namespace {

void AppendSourceRights(const source::KubeTarget& source, ManifestValues& values, std::string& out) {
  if (source::StatesTrustAlone(source.kind)) return AppendTrustRights(source, values, out);
  const bool is_proxy = source.kind == source::KubeKind::kProxy;
  values["pool"] = YamlList({source.name});
  AppendManifest(is_proxy ? templates::ProxyRoleYaml() : templates::PoolRoleYaml(), values, out);
  AppendManifest(templates::SourceBindingYaml(), values, out);
}

}  // namespace

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
  if (deployment.approval) {
    for (const std::string_view manifest :
         {templates::ConfirmedRoleYaml(), templates::RolloutRoleYaml(), templates::RolloutPolicyYaml()})
      AppendManifest(manifest, values, out);
  }
  if (deployment.drains) {
    for (const std::string_view manifest : {templates::RebootRoleYaml(), templates::RebootPolicyYaml()})
      AppendManifest(manifest, values, out);
  }
  for (const std::string_view manifest : {templates::ServiceAccountYaml(), templates::NodeRoleYaml()})
    AppendManifest(manifest, values, out);
  if (deployment.source) AppendSourceRights(*deployment.source, values, out);
  for (const std::string_view manifest : {templates::AdmissionPolicyYaml(), templates::DaemonSetYaml()})
    AppendManifest(manifest, values, out);
  return out;
}

}  // namespace prov::fleet
