// The JSON values for the options that decide which settings a node takes, and how. egress.json, user data and the
// state record share them.
#pragma once

#include <string>
#include <vector>

#include "provisioner/base/json_reader.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::reconcile {

// Errors: type.
Result<Scope> ReadScope(const JsonNode& names);                       // as Scope::Names gives them
Result<CredentialPolicy> ReadCredentialPolicy(const JsonNode& name);  // as NameOf gives it
Result<std::vector<std::string>> ReadServiceNames(const JsonNode& names);
Result<pki::TrustedDigests> ReadCertificateDigests(const JsonNode& digests);

Result<std::string> ReadRegistryFolder(const JsonNode& folder);

// All of these, as members of one object. An absent one is the default, except for the scope. Errors: type; those of
// ReadPodPolicies().
Result<DesiredOptions> ReadOptions(const JsonNode& root);

}  // namespace prov::reconcile
