// The trust bundle of a cluster's pods: the user's certificates, then the system's. Facts:
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

// A bundle as given: PEM text, or a ConfigMap that contains it.
struct BundleSource {
  bool is_config_map = false;
  std::string name;  // of the ConfigMap; "" if it has none
  std::string name_space;
  std::optional<std::string> text;  // nullopt: a ConfigMap without the key
  std::string where;
};

// Errors: json, yaml, kind (an object other than a ConfigMap), type, too-large.
Result<BundleSource> ReadBundleSource(std::string bytes, const std::string& where);

// The certificates as the operator reads them: blocks CERTIFICATE without headers, found as in Go's encoding/pem. Skips
// anything else, but each such block must be a certificate, and there must be at least one. The error is the operator's
// message about the ConfigMap `name`.
std::expected<std::vector<pki::Certificate>, std::string> CheckBundle(const BundleSource& source,
                                                                      std::string_view name);

// The text without private keys, which are never written; each is a finding `private-key`. Unchanged without any.
// Errors: cert, for a key without an end.
Result<std::string> WithoutPrivateKeys(std::string_view text, std::string_view where, Findings& findings);

// The user's text, a line feed, the system's text; only one of them stays as it is. Sorts and drops nothing.
std::string MergeBundles(const std::optional<std::string>& user, const std::optional<std::string>& system);

// The ConfigMap openshift-config-managed/trusted-ca-bundle with a merged bundle, as YAML.
std::string RenderTrustConfigMap(std::string_view bundle);

}  // namespace prov::publish
