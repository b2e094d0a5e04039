#include "provisioner/fleet/controller_manifests.h"

#include <fmt/format.h>

#include "provisioner/fleet/manifest_text.h"
#include "templates/templates.h"

namespace prov::fleet {
namespace {

std::string Rule(std::string_view group, std::string_view resource, const std::string& name, std::string_view verbs) {
  const std::string names = name.empty() ? "" : fmt::format("  resourceNames: {}\n", YamlList({name}));
  return fmt::format("- apiGroups: [{}]\n  resources: [{}]\n{}  verbs: [{}]\n", group, resource, names, verbs);
}

std::string SourceRules(const std::string& pool) {
  constexpr std::string_view kMachineConfigs = "machineconfiguration.openshift.io";
  return Rule(kMachineConfigs, "machineconfigpools", pool, "get, list, watch") +
         Rule(kMachineConfigs, "machineconfigs", "", "get");
}

std::string MachineRules(const ControllerDeployment& deployment) {
  std::string out;
  if (!deployment.operators_secret.empty())
    out += Rule("\"\"", "secrets", deployment.operators_secret, "get, list, watch");
  if (deployment.machine_sets) out += Rule("machine.openshift.io", "machinesets", "", "get, list, watch");
  return out;
}

}  // namespace

std::string ControllerManifests(const ControllerDeployment& deployment) {
  std::string out;
  AppendManifest(templates::NamespaceYaml(), {}, out);
  AppendManifest(templates::ControllerYaml(),
                 {{"image", YamlText(deployment.image)},
                  {"args", YamlList(deployment.args)},
                  {"environment", ApiServerVariables(deployment.api_host, deployment.api_port)},
                  {"machines", YamlText(deployment.machines)},
                  {"secret", YamlText(deployment.secret)},
                  {"secrets", YamlList({deployment.secret})},
                  {"secret-type", deployment.secret_type},
                  {"rules", MachineRules(deployment)}},
                 out);
  if (!deployment.pool.empty())
    AppendManifest(templates::ControllerSourceYaml(), {{"rules", SourceRules(deployment.pool)}}, out);
  return out;
}

}  // namespace prov::fleet
