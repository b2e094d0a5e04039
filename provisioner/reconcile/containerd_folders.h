// Where the containerd of a machine looks for hosts.toml files, by its service and its config.toml.
// Facts: docs/registries.md#containerds-configuration.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/machine/machine.h"

namespace prov::reconcile {

struct ContainerdFolders {
  std::string config;                // the path of config.toml; "": there is no service containerd
  std::vector<std::string> folders;  // of its config_path, in the order in which containerd looks
  std::string table;                 // where config.toml has config_path: `[plugins.cri.registry]`
  std::string fault;                 // what could not be read and may name other folders; "": nothing
  std::string of_operator;           // what shows that containerd is the Windows operator's; "": nothing does
};

// Follows the imports of config.toml, except patterns of paths. Reads only. Errors: those of the registry's port; what
// of a file can't be read is `fault`.
Result<ContainerdFolders> ReadContainerdFolders(machine::Machine& machine);

// Why containerd does not read the files below a folder (registries-config); nullopt: it does. Information where there
// is no service containerd, which may come later, else a warning. `folder`: of CheckRegistryFolder.
std::optional<Finding> ReviewRegistryFolder(const ContainerdFolders& containerd, const std::string& folder);

}  // namespace prov::reconcile
