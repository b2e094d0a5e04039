// The values of JSON documents that say which settings a node takes, and how. egress.json, user data and the state
// record have the same ones.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/json_reader.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::reconcile {

// Errors: type.
Result<Scope> ReadScope(const JsonNode& names);                       // as Scope::Names gives them
Result<CredentialPolicy> ReadCredentialPolicy(const JsonNode& name);  // as NameOf gives it
Result<std::vector<std::string>> ReadServiceNames(const JsonNode& names);
// SHA-256 of certificates: as pki::StorePolicy::named has them.
Result<std::set<std::string, std::less<>>> ReadCertificateDigests(const JsonNode& digests);

// pki::StorePolicy::root_only: "root-only" or "split".
std::string_view NameOfStore(bool root_only);
Result<bool> ReadStore(const JsonNode& name);

}  // namespace prov::reconcile
