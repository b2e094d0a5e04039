// The result of the readers of single kinds, and the functions that they share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/egress/environment_file.h"
#include "provisioner/source/object_view.h"

namespace prov::source {

// A trust bundle before it is parsed. The document is freed first, so that both are never in memory together.
struct TrustText {
  std::string where;  // JSON path, or the file
  std::string bytes;  // in any form that ParseTrustBundle accepts
  bool may_be_empty = true;
  bool system_roots = false;  // a merged bundle: it also has the cluster's system roots
  unsigned mode = 0644;       // of the file
};

struct Reading {
  egress::EgressConfig config;
  std::vector<TrustText> trust;  // empty: no statement about certificates
};

// The description of a file with these bytes. The default is the mode of a proxy.env, for sources without file modes.
egress::SourceFile DescribeFile(std::string path, std::string_view bytes, unsigned mode = 0644);

// Takes the values of HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and reports other variables about proxies and certificates
// (not-read).
void AssignVariables(std::span<const egress::Assignment> assignments, const std::string& where,
                     egress::EgressConfig& config);

// Records that the source makes a statement about the proxy, found at `path`: the values in `config`, or none. Size and
// digest are those of a proxy.env with these values.
void StateProxy(egress::EgressConfig& config, std::string path);

// Reads the members httpProxy, httpsProxy and noProxy that are not empty: in a cluster's objects "empty means unset".
// Errors: type.
Result<void> ReadProxyMembers(const ObjectView& object, egress::EgressConfig& config);

// Takes what a source says of image registries. If that can't be read, the rest of the source still counts: the fault
// is kept for those who ask for mirrors. Findings: mirrors-invalid.
void TakeMirrors(Result<registries::Mirrors> read, egress::EgressConfig& config);

// Adds the certificates of a CA file for one registry. If there is none in it, the fault is kept. Findings:
// mirrors-invalid.
void TakeRegistryCa(std::string host, std::string_view bytes, const std::string& where, egress::EgressConfig& config);

// Decodes base64 with line ends, as users and tools store it. Errors: cert; the message begins with `message_start`.
Result<std::string> DecodeTrustBase64(std::string_view text, std::string_view message_start, const std::string& where);

// Parses the bundle. Errors: cert, too-large. Findings: no-trust-file (info; no statement) unless the reader added it,
// system-roots.
Result<egress::EgressConfig> Finish(Reading reading);

}  // namespace prov::source
