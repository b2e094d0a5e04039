// The container in user data: one line of JSON, then the certificates (DER), and nothing that can be derived. On a node
// it is the file data.egress, which the script reads and which provisioner.exe accepts as a source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
  std::optional<Download> bundle = {};  // a PEM file with the certificates, which are then not in here
  bool later = false;                   // what takes time is left to a task: another script waits
  bool retry = false;                   // a download that failed is left to a task: the script does not run again
  bool web = false;                     // a script behind ours downloads, by what follows neither variables nor WinHTTP
  bool account = false;                 // and the proxy for that wants credentials
};

// The two parts; they compress better separately.
struct Container {
  std::string json;  // with its line end
  std::string certificates;

  std::string Bytes() const { return json + certificates; }
};

// The caller must know whether each certificate is in the bundle: `stores_known` says that the bundle is the one that
// EncodePem makes of the state's certificates. Errors: size-limit (a certificate that the script can't read).
Result<Container> MakeContainer(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                                const ContainerOptions& options, bool stores_known);

// A file of this name is a container.
bool IsContainerName(std::string_view path);

// Reads it back: MakeDesiredState() of the result is the state that was written. Errors: json, type, version, cert,
// remote-source (its certificates are at a URL).
Result<payload::EgressDocument> ReadContainer(std::string_view bytes, std::string_view where);

}  // namespace prov::userdata
