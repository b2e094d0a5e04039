#include "provisioner/fleet/controller_manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/fleet/kept_secrets.h"
#include "provisioner/fleet/manifest_text.h"
#include "templates/templates.h"

namespace prov::fleet {

std::string ControllerObjectName(const ControllerDeployment& deployment) {
  constexpr std::size_t kMostOfName = 24, kDigits = 8;  // together with the rest the 63 of a label's value
  const bool keeps_secret = !deployment.secret.empty();
  const std::string& name_space = keeps_secret ? deployment.machines : deployment.params_name_space;
  std::string name = keeps_secret ? deployment.secret : deployment.params;
  const std::string which = fmt::format("{}/{}/{}", deployment.common.name_space, name_space, name);
  // Not that of pods' parameters alone: what is applied for these must not take the Secret from the other's args.
  if (which == "egress-provisioner/openshift-machine-api/windows-user-data-kept") return std::string(kControllerName);
  std::ranges::replace(name, '.', '-');
  return fmt::format("{}-{}-{}", kControllerName, Shorten(name, kMostOfName), ToHex(Sha256(which)).substr(0, kDigits));
}

namespace {

void AppendControllerSource(const source::KubeTarget& source, const std::string& name, ManifestValues values,
                            std::string& out) {
  if (source.kind == source::KubeKind::kPool) {
    values["pool"] = YamlList({source.name});
    return AppendManifest(templates::ControllerSourceYaml(), values, out);
  }
  values["source-app"] = kControllerName;
  values["source-component"] = "controller";
  values["source-account"] = name;
  values["source-role"] = fmt::format("{}-source", name);
  AppendTrustRights(source, std::move(values), out);
}

}  // namespace

std::string ControllerManifests(const ControllerDeployment& deployment) {
  ManifestValues values = CommonValues(deployment.common);
  const std::string name = ControllerObjectName(deployment);
  values["controller"] = name;
  values["leases"] = fmt::format("[{}]", name);
  for (const auto& [mark, part] : {std::pair<std::string_view, std::string_view>("controller-lease", "lease"),
                                   {"controller-secret", "secret"},
                                   {"controller-operator", "operator"},
                                   {"controller-machine-sets", "machine-sets"},
                                   {"controller-params", "params"},
                                   {"controller-rollout", "rollout"},
                                   {"controller-waits", "waits"}})
    values[mark] = fmt::format("{}-{}", name, part);
  if (deployment.restricted) values.erase("pod-security");  // the template says so
  values["args"] = YamlList(deployment.args);
  values["architecture"] = deployment.architecture;
  values["machines"] = YamlName(deployment.machines);
  values["secret"] = YamlName(deployment.secret);
  values["secrets"] = YamlList({deployment.secret});
  values["secret-type"] = deployment.secret_type;
  values["operators-secret"] = YamlList({deployment.operators_secret});
  values["fleet"] = YamlName(deployment.fleet);
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
  if (!deployment.fleet.empty()) AppendManifest(templates::ControllerRolloutYaml(), values, out);
  if (deployment.source) AppendControllerSource(*deployment.source, name, std::move(values), out);
  return out;
}

}  // namespace prov::fleet
