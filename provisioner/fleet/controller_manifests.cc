#include "provisioner/fleet/controller_manifests.h"

#include <fmt/format.h>

#include "provisioner/fleet/manifest_text.h"
#include "templates/templates.h"

namespace prov::fleet {

std::string ControllerManifests(const ControllerDeployment& deployment) {
  ManifestValues values = CommonValues(deployment.common);
  values["args"] = YamlList(deployment.args);
  values["machines"] = YamlName(deployment.machines);
  values["secret"] = YamlName(deployment.secret);
  values["secrets"] = YamlList({deployment.secret});
  values["secret-type"] = deployment.secret_type;
  values["operators-secret"] = YamlList({deployment.operators_secret});
  values["pool"] = YamlList({deployment.pool});
  values["params-namespace"] = YamlName(deployment.params_name_space);
  values["params"] = YamlList({deployment.params});
  if (const std::string& priority = deployment.common.priority_class; !priority.empty())
    values["priority-class"] = fmt::format("      priorityClassName: {}\n", YamlText(priority));
  std::string out;
  for (const std::string_view manifest : {templates::NamespaceYaml(), templates::ControllerYaml()})
    AppendManifest(manifest, values, out);
  if (!deployment.secret.empty()) AppendManifest(templates::ControllerSecretYaml(), values, out);
  if (!deployment.operators_secret.empty()) AppendManifest(templates::ControllerOperatorsSecretYaml(), values, out);
  if (deployment.machine_sets) AppendManifest(templates::ControllerMachineSetsYaml(), values, out);
  if (!deployment.params.empty()) AppendManifest(templates::ControllerParamsYaml(), values, out);
  if (!deployment.pool.empty()) AppendManifest(templates::ControllerSourceYaml(), values, out);
  return out;
}

}  // namespace prov::fleet
