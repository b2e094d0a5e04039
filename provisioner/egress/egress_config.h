// EgressConfig: the egress settings of a source, read and checked, but not yet turned into the state of a machine.
// Every kind of source produces one, and every command starts from one.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/secret.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/pki/certificate.h"
#include "provisioner/registries/mirrors.h"

namespace prov::egress {

// The variables with the settings: Linux nodes have them in proxy.env, Windows nodes as machine variables.
inline constexpr std::array<std::string_view, 3> kProxyVariables = {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"};

// Node.js reads these only where this variable is "1"; no other value counts.
inline constexpr std::string_view kNodeVariable = "NODE_USE_ENV_PROXY";

struct SourceInfo {
  std::string kind;              // "MachineConfig", "Ignition"
  std::string name;              // of the object; "" if there is none
  std::string ignition_version;  // as written; "" if there is none
};

// One of the two files of a source. Not present: the source makes no statement about its subject, which differs from an
// empty file.
struct SourceFile {
  std::string path;
  bool present = false;
  std::string sha256;  // lower-case hex of the decoded bytes
  std::size_t bytes = 0;
  unsigned mode = 0;
  bool left_out = false;  // not present because choices left all of its subject out, not for lack of a statement
};

// Whether the source has parts about a subject that are not read. What is missing in the rest may stand there, so it is
// not removed from a machine.
struct NotRead {
  bool proxy = false;
  bool trust = false;
  std::string trust_place = {};  // where user data says at which URL all its certificates are; "": they are not at one
};

// Where the containerd of a machine or of an image looks for hosts.toml files.
struct HostsTomlFolders {
  std::vector<std::string> paths;  // in its order
  std::string unknown = {};        // why there may be others; "": these are all
};

struct EgressConfig {
  SourceInfo source;
  SourceFile proxy_file;
  // As assigned. An empty text is an assignment, too; later stages treat it as unset.
  std::optional<Secret> http_proxy;
  std::optional<Secret> https_proxy;
  std::optional<std::string> no_proxy;
  bool node_env_proxy = false;                 // NODE_USE_ENV_PROXY=1 is set: Node.js reads the three
  SourceFile trust_file;                       // the first, where there are several
  std::vector<pki::Certificate> certificates;  // in order of appearance, duplicates kept
  NotRead not_read;
  registries::Mirrors mirrors;        // hosts.toml files, where --registry-folder says so; `--image` follows them
  std::optional<Secret> pull_secret;  // the nodes' logins for registries: the JSON of kubelet's config.json
  HostsTomlFolders hosts_toml;        // of the machine or image that is the source
  std::string windows_version;        // "10.0.20348": of the machine or image that is the source; "": not known
  ClusterFacts facts;                 // facts about the cluster from the source, for the review of NO_PROXY
  Findings findings;
};

// Whether HTTP_PROXY or HTTPS_PROXY has a value.
bool HasUrl(const EgressConfig& config);

// Whether the source makes a statement about proxies. It makes none if it has no URL of a proxy, and parts about
// proxies that are not read.
bool StatesProxy(const EgressConfig& config);

// The parsed proxy settings; unset and empty values are absent.
struct ProxySettings {
  std::optional<ProxyUrl> http;
  std::optional<ProxyUrl> https;
  std::optional<NoProxy> no_proxy;
};

// Parses the three values. Errors: proxy-url, no-proxy; `where` names the variable.
Result<ProxySettings> ParseProxySettings(const EgressConfig& config, Findings& findings);

}  // namespace prov::egress
