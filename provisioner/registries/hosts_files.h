// The hosts.toml files by which a containerd that nobody else configures follows a cluster's mirrors, with the CAs that
// they name. containerd knows whole registries only, so not every setting can be said.
// Facts: docs/registries.md#files-of-ours.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/registries/mirrors.h"

namespace prov::registries {

inline constexpr std::string_view kHostsFile = "hosts.toml";

struct RegistryFile {
  std::string folder;  // below `config_path`: "quay.io", "host_5000_"
  std::string name;    // kHostsFile, or that of a CA
  std::string bytes;   // without credentials

  bool operator==(const RegistryFile&) const = default;
};

struct HostsFiles {
  std::vector<RegistryFile> files;  // by folder, each place once; the CAs of a folder before the file that names them
  Findings findings;                // mirror-lost, mirror-widened
};

// The files for Windows. `trusted` (DER): what else the node trusts. A file with CAs has these, too, because a
// containerd on Windows that is given CAs does not use the machine's. The same input gives the same bytes.
HostsFiles MakeHostsFiles(const Mirrors& mirrors, std::span<const std::string> trusted);

}  // namespace prov::registries
