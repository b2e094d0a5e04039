// SourceSpec: a SOURCE and how it is read, as data. Options are parsed into it, and a node remembers it.
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
  std::string ca_file = {};     // PEM: the only roots that a remote source is verified with; "": the system's
  std::string kubeconfig = {};  // path; "in-cluster"; "": $KUBECONFIG, ~/.kube/config, in-cluster (kube_access.h)
  std::optional<Secret> proxy_url = {};  // for the requests of this program itself; nullopt: direct
  // How long a remote source may take, with all that it refers to and other tries; nullopt: a minute (kube://: a minute
  // and a half), and other tries for a document for ten seconds.
  std::optional<int> timeout_seconds = {};
  bool add_cluster_suffixes = false;  // to NO_PROXY of an AKS source

  // The paths in it: of the source itself unless it is remote or standard input, and of the files that say whom to
  // trust.
  std::vector<std::string> Files() const;

  bool operator==(const SourceSpec&) const = default;
};

inline constexpr int kLongestTimeout = 3600;  // seconds

// Whether it names something on a network rather than a file: it has a scheme.
bool IsRemote(const std::string& source);

// The spec as the next value of the document (docs/state.md). It holds the password of `proxy_url`. The same spec gives
// the same bytes.
void WriteSourceSpec(JsonWriter& json, const SourceSpec& spec);
// Errors: type, proxy-url.
Result<SourceSpec> ReadSourceSpec(const JsonNode& node);

}  // namespace prov::source
