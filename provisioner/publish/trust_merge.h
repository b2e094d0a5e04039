// The trust bundle that a cluster's pods get: the user's certificates, then the system's. Facts:
// docs/openshift.md#trusted-cas.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/pki/certificate.h"
#include "provisioner/source/trust_names.h"

namespace prov::publish {

using source::kBundleKey;
using source::kConfigNamespace;
using source::kManagedNamespace;
using source::kMergedBundle;

// A bundle as it was given: the text itself (PEM), or a ConfigMap with it.
struct BundleSource {
  bool is_config_map = false;
  std::string name;  // of the ConfigMap; "" where it says none
  std::string name_space;
  std::optional<std::string> text;  // nullopt: a ConfigMap without the key
  std::string where;
};

// Errors: json, yaml, kind (an object that is no ConfigMap), type, too-large.
Result<BundleSource> ReadBundleSource(std::string bytes, const std::string& where);

// The certificates as the operator reads them: blocks CERTIFICATE without headers, as Go's encoding/pem finds them.
// Anything else is skipped, but each such block must be a certificate and there must be at least one. The error is the
// operator's text about the ConfigMap `name`.
std::expected<std::vector<pki::Certificate>, std::string> CheckBundle(const BundleSource& source,
                                                                      std::string_view name);

// The text without private keys (a finding `private-key`), which are never written. Byte for byte the same if there is
// none. Errors: cert, for a key whose end can't be found.
Result<std::string> WithoutPrivateKeys(std::string_view text, std::string_view where, Findings& findings);

// The user's text, a line feed, the system's text; one alone stays as it is. Nothing is sorted or dropped.
std::string MergeBundles(const std::optional<std::string>& user, const std::optional<std::string>& system);

}  // namespace prov::publish
