// The hosts.toml files that the Windows Machine Config Operator makes of a cluster's mirrors, and what gets lost.
// Facts: docs/registries.md#the-windows-operators-files.
#pragma once

#include <map>
#include <string>

#include "provisioner/base/finding.h"
#include "provisioner/base/secret.h"
#include "provisioner/registries/hosts_toml.h"
#include "provisioner/registries/mirrors.h"

namespace prov::registries {

struct OperatorHosts {
  struct File {
    Secret text;      // as the operator writes it
    HostsToml hosts;  // as containerd reads it; without hosts if it refuses the file
    bool refused = false;
  };
  std::map<std::string, File> files;  // by the name of the folder, which is the registry's
  Findings findings;                  // mirror-lost, mirror-port, mirror-widened
};

// "user:password" for the host of a mirror, as in the cluster's pull secret.
using RegistryLogins = std::map<std::string, Secret>;

OperatorHosts MakeOperatorHosts(const Mirrors& mirrors, const RegistryLogins& logins = {});

}  // namespace prov::registries
