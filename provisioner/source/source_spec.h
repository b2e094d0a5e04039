// SourceSpec: a SOURCE and how to read it, as data. Options are parsed into it, and a node remembers it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ignition/document.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/secret.h"

namespace prov::source {

struct SourceSpec {
  std::string source;  // a path, "-" for standard input, or a URI: https://, http://…#sha256=…, mcs://, kube://
  ignition::Selection selection = {};
  std::string ca_file = {};     // PEM: the only roots for a remote source; "": the system's
  std::string kubeconfig = {};  // path; "in-cluster"; "": $KUBECONFIG, ~/.kube/config, in-cluster (kube_access.h)
  std::optional<Secret> proxy_url = {};  // for this program's own requests; nullopt: direct
  // How long a remote source may take, with retries and everything that it refers to. nullopt: a minute (kube://: a
  // minute and a half), with retries for a document for ten seconds.
  std::optional<int> timeout_seconds = {};
  bool add_cluster_suffixes = false;  // adds them to NO_PROXY of an AKS source

  // The paths in the spec: that of the source unless it is remote or standard input, and of the files with CAs and
  // credentials.
  std::vector<std::string> Files() const;

  bool operator==(const SourceSpec&) const = default;
};

inline constexpr int kLongestTimeout = 3600;  // seconds

// Whether the source is on a network and not a file: it has a scheme.
bool IsRemote(const std::string& source);

// Writes the spec as the next value of the document (docs/state.md), with the password of `proxy_url`. The same spec
// gives the same bytes.
void WriteSourceSpec(JsonWriter& json, const SourceSpec& spec);
// Errors: type, proxy-url.
Result<SourceSpec> ReadSourceSpec(const JsonNode& node);

}  // namespace prov::source
