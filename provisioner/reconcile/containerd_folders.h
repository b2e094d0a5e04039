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
  std::string config;                 // the path of config.toml; "": there is no service containerd
  std::vector<std::string> folders;   // of its config_path, in the order in which containerd looks
  std::vector<std::string> there;     // those of `folders` that exist, or may exist; as written
  std::vector<std::string> defaults;  // the folders `_default` in them: for the registries without a folder
  std::string table;                  // where config.toml has config_path: `[plugins.cri.registry]`
  std::vector<std::string> old_keys;  // in that table, beside which containerd takes no config_path: "mirrors"
  std::string fault;                  // what could not be read and may name other folders; "": nothing
  bool is_pattern = false;            // `fault` is only that files of a pattern were not read
  std::string of_operator;            // what shows that containerd is the Windows operator's; "": nothing does
};

// Follows the imports of config.toml, except patterns of paths. Expands variables that the registry has. Reads only.
// Errors: those of the registry's port; what of a file can't be read is `fault`.
Result<ContainerdFolders> ReadContainerdFolders(machine::Machine& machine);

// Why containerd does not read the files below a folder, or not all of them, and what does no longer count because of
// them (registries-config); nullopt: nothing of that. Information where there is no service containerd, which may come
// later, or where the files count and only others may not; else a warning. `folder`: of
// CheckRegistryFolder.
std::optional<Finding> ReviewRegistryFolder(const ContainerdFolders& containerd, const std::string& folder);

}  // namespace prov::reconcile
