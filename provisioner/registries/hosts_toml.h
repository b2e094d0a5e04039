// hosts.toml: how containerd is told by which hosts it reaches a registry. One folder a registry below `config_path`.
// Facts: docs/registries.md#hoststoml.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"
#include "provisioner/registries/server_url.h"

namespace prov::registries {

// Versions of containerd that read the file in different ways.
enum class Containerd { k1_6, k1_7, k2 };

struct HostConfig {
  ServerUrl url;  // of the file's own registry: empty if it names none, which is the registry itself
  bool pull = true;
  bool resolve = true;
  bool push = true;
  std::vector<std::string> ca;  // files, relative to that of hosts.toml
  // Files with a certificate of the client and its key; without the second, both are in the first.
  std::vector<std::pair<std::string, std::string>> client;
  std::optional<bool> skip_verify;
  std::vector<std::pair<std::string, Secret>> headers;  // sorted by name; a name may come more than once
  bool override_path = false;  // the URL's path is the root of the API; otherwise "/v2" is added
  std::string dial_timeout;    // "30s"; "": containerd's own

  bool has_tls() const { return !ca.empty() || !client.empty() || skip_verify.has_value(); }
  bool operator==(const HostConfig&) const = default;
};

struct HostsToml {
  std::vector<HostConfig> hosts;  // in the order in which containerd asks them
  HostConfig server;              // asked last

  bool operator==(const HostsToml&) const = default;
};

// Reads the file as that version of containerd does. Errors: registries, where containerd logs an error and goes on as
// without the file, so that it asks the registry itself; too-large. Finding: hosts-toml (what containerd leaves out, or
// another version reads in another way).
Result<HostsToml> ReadHostsToml(std::string_view text, const std::string& where, Containerd version,
                                Findings& findings);

// The file; ReadHostsToml gives `hosts` back. Names of hosts must differ. A header may hold a credential.
Secret WriteHostsToml(const HostsToml& hosts);

// The folders below `config_path` in which containerd looks for a registry's file, in its order: the first that exists
// counts, even if it is empty. "" for a name that no folder can have there.
std::vector<std::string> HostsFolders(std::string_view registry, bool windows);

}  // namespace prov::registries
