// containerd's own configuration, as far as it says where containerd looks for hosts.toml.
// Facts: docs/registries.md#containerds-configuration.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::registries {

// What one file says.
struct ContainerdConfig {
  std::int64_t version = 0;                                      // 0: the file names none
  std::map<std::string, std::string, std::less<>> config_paths;  // by plugin; only those that have the setting
  // By plugin, the keys of `registry` beside which containerd takes no `config_path`: "mirrors", "configs.*.tls".
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> old_keys;
  std::vector<std::string> imports;  // as written: paths, and patterns of them

  // Adds what a file says that this one imports: it counts before what was read so far.
  void Merge(ContainerdConfig imported);
  // `config_path` of the plugin that this version of the file has it in, a folder each. Empty: hosts.toml has no
  // effect.
  std::vector<std::string> Folders() const;
  // The old keys of the plugins that this version of the file has them in.
  std::vector<std::string> OldKeys() const;
  // The table in which this version of the file has `config_path`: `[plugins.cri.registry]`.
  std::string_view Table() const;
};

// Reads a config.toml, of any version. Errors: registries, too-large.
Result<ContainerdConfig> ReadContainerdConfig(std::string_view text, const std::string& where);

// The path of config.toml in the command line of a containerd ("containerd.exe --run-service -c FILE"); "": it names
// none, so it is the default one. With quotes as Windows reads them.
std::string ConfigFileOf(std::string_view command_line);

}  // namespace prov::registries
