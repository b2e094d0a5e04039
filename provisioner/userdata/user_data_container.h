// The container in user data: a JSON document with the settings and the operations. On a node it is the file
// data.egress. The script carries it out, and provisioner.exe accepts it as a source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/result.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/payload/egress_json.h"
#include "provisioner/payload/payload.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::userdata {

// A file at a URL, with the digest that verifies it.
struct Download {
  std::string url;
  std::string sha256;  // lower-case hex

  // Messages leave out the query: it may be a token.
  bool HasQuery() const { return url.find('?') != std::string::npos; }
  std::string Shown() const { return url.substr(0, url.find('?')); }

  bool operator==(const Download&) const = default;
};

// `URL#sha256=HEX`: http or https, printable ASCII without blanks and quotes. Errors: usage, hash-spec.
Result<Download> ParseDownload(std::string_view text, std::string_view where);

struct ContainerOptions {
  std::int64_t generation = payload::kDefaultGeneration;
  std::optional<Download> exe = {};     // the program, which takes over from the script
  std::optional<Download> bundle = {};  // the PEM file of the state's certificates, which the container then leaves out
  bool later = false;                   // slow steps are left to a task, because another script waits
  bool retry = false;                   // a failed download is left to a task, because the script does not run again
  bool web = false;                     // a later script downloads, and needs a proxy of its own: PowerShell or .NET
  bool account = false;                 // and that proxy needs credentials
  bool full = true;                     // the script with all its features: "full" in templates/Apply-Egress.ps1
};

// The container, without blanks between tokens. `options.bundle` must be what EncodePem makes of the state's
// certificates.
std::string MakeContainer(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                          const ContainerOptions& options);

// Begin and end of the certificates in the container; both 0 if it has none. They compress better by themselves.
std::pair<std::size_t, std::size_t> CertificatesIn(std::string_view container);

// Whether the name is that of a container.
bool IsContainerName(std::string_view path);

// Reads the container back: MakeDesiredState() of the result is the state that was written, without the certificates if
// these are at a URL. Errors: json, type, version, cert.
Result<payload::EgressDocument> ReadContainer(std::string_view bytes, std::string_view where);

}  // namespace prov::userdata
