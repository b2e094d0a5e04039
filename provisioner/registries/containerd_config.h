// containerd's own configuration, as far as it says where containerd looks for hosts.toml.
// Facts: docs/registries.md#containerds-configuration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::registries {

struct ContainerdConfig {
  std::vector<std::string> config_paths;  // `config_path`, a folder each; empty: hosts.toml has no effect
  bool imports = false;                   // other files may say more
};

// Reads config.toml, of any version. Errors: registries, too-large.
Result<ContainerdConfig> ReadContainerdConfig(std::string_view text, const std::string& where);

// The path of config.toml in the command line of a containerd ("containerd.exe --run-service -c FILE"); "": it names
// none, so it is the default one. With quotes as Windows reads them.
std::string ConfigFileOf(std::string_view command_line);

}  // namespace prov::registries
