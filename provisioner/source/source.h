// Where settings come from: from the SOURCE of a command line to an EgressConfig.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ignition/document.h"
#include "provisioner/base/secret.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/machine/clock.h"
#include "provisioner/machine/http.h"

namespace prov::source {

// A source and how it is asked.
struct SourceRequest {
  std::string source;  // a path, "-" for standard input, or a URI: https://, http://…#sha256=…, mcs://, kube://
  ignition::Selection selection;
  std::string ca_file;              // PEM: the only roots that a remote source is verified with; "": the system's
  std::string kubeconfig;           // path; "": $KUBECONFIG, then ~/.kube/config
  std::optional<Secret> proxy_url;  // for the requests of this program itself; nullopt: direct
};

// What remote sources need. Files need neither.
struct SourcePorts {
  machine::Http& http;
  machine::Clock& clock;
};

// Whether it names something on a network rather than a file: it has a scheme.
bool IsRemote(const std::string& source);

// Errors: not-found, io, too-large, kind, scheme, network, tls, hash-mismatch, and those of the format that is found
// there.
Result<egress::EgressConfig> Read(const SourceRequest& request, const SourcePorts& ports);

}  // namespace prov::source
