// The container in user data: a JSON document with the settings and the operations. On a node it is the file
// data.egress, which the script carries out and which provisioner.exe accepts as a source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/result.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/payload/egress_json.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::userdata {

// A file at a URL, verified by its digest.
struct Download {
  std::string url;
  std::string sha256;  // lower-case hex

  // A query may be a token, so no message contains it.
  bool HasQuery() const { return url.find('?') != std::string::npos; }
  std::string Shown() const { return url.substr(0, url.find('?')); }

  bool operator==(const Download&) const = default;
};

// `URL#sha256=HEX`: http or https, printable ASCII without blanks and quotes. Errors: usage, hash-spec.
Result<Download> ParseDownload(std::string_view text, std::string_view where);

struct ContainerOptions {
  std::int64_t generation = 1;
  std::optional<Download> exe = {};     // the program, which is to take over
  std::optional<Download> bundle = {};  // the PEM file of the state's certificates, which are then not in here
  bool later = false;                   // what takes time is left to a task: another script waits
  bool retry = false;                   // a download that failed is left to a task: the script does not run again
  bool web = false;                     // a script behind ours downloads, by what follows neither variables nor WinHTTP
  bool account = false;                 // and the proxy for that wants credentials
  bool full = true;                     // the script with all that it can do: "full" in templates/Apply-Egress.ps1
};

// The container, without blanks between tokens. `options.bundle` must be what EncodePem makes of the state's
// certificates.
std::string MakeContainer(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                          const ContainerOptions& options);

// Where the certificates are in it, which compress better by themselves: begin and end; both 0 where there are none.
std::pair<std::size_t, std::size_t> CertificatesIn(std::string_view container);

// A file of this name is a container.
bool IsContainerName(std::string_view path);

// Reads it back: MakeDesiredState() of the result is the state that was written. Errors: json, type, version, cert,
// remote-source (its certificates are at a URL).
Result<payload::EgressDocument> ReadContainer(std::string_view bytes, std::string_view where);

}  // namespace prov::userdata
