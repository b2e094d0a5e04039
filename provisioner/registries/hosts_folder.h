// The folder that containerd's `config_path` names: what it is told about each registry.
// Facts: docs/registries.md#hoststoml.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/registries/endpoints.h"
#include "provisioner/registries/hosts_toml.h"

namespace prov::registries {

// Whether a text is a hosts.toml, and not a registries.conf, which is TOML, too.
bool IsHostsToml(std::string_view text);

class HostsFolder {
 public:
  // A file that containerd refuses is an error among the findings, and the folder's .crt files count in its place, as
  // for containerd. Errors: not-found, io, too-large, registries (it is the folder of one registry).
  static Result<HostsFolder> Read(const std::string& folder, Containerd version, Findings& findings);
  // One hosts.toml, for the registry that its folder is named after; if that is none of `registries`, for all.
  static Result<HostsFolder> OfFile(std::string_view text, const std::string& path,
                                    std::span<const std::string> registries, bool windows, Containerd version,
                                    Findings& findings);

  // nullptr: containerd asks the registry itself. Paths of certificates are complete.
  const HostsToml* Find(std::string_view registry, bool windows) const;

 private:
  std::map<std::string, HostsToml, std::less<>> by_folder_;
};

// Reads the certificates that hosts.toml names into `roots`, `client_certificate` and `client_key`. Errors: registries
// (containerd does not pull then), and those of ParseTrustBundle.
Result<void> ReadRoots(Endpoint& endpoint, Findings& findings);

}  // namespace prov::registries
