// The hosts.toml files by which a containerd that nobody else configures follows a cluster's mirrors, with the CAs that
// they name. containerd knows whole registries only, so not every setting can be said.
// Facts: docs/registries.md#files-of-ours.
#pragma once

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
  Findings findings;                // mirror-lost, mirror-widened, registries-ca
};

// What a node trusts, as DER.
struct NodeTrust {
  std::vector<std::string> all;      // beside Windows' own
  std::vector<std::string> in_root;  // of these, those in its store ROOT
};

// The files for Windows. Where a registry's CAs are not all in ROOT, a file names them. It has `all`, too, because a
// containerd on Windows before 2.3 that is given CAs does not use the machine's. A host is insecure only where each
// image that is asked there by this file may be. The same input gives the same bytes.
HostsFiles MakeHostsFiles(const Mirrors& mirrors, const NodeTrust& trust);

}  // namespace prov::registries
