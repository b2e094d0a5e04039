// Which Windows certificate store a certificate belongs to.
#pragma once

#include <span>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/egress/certificate.h"

namespace prov::egress {

enum class Store { kRoot, kCa, kNone };

// "ROOT", "CA" (the names of the system stores), "none".
std::string_view NameOf(Store store);

struct StorePolicy {
  bool root_only = false;    // everything that is imported goes to ROOT, as WMCO does it
  bool import_leaf = false;  // also import certificates that are no CA and not self-signed
};

// Self-signed (Certificate::self_signed), CA or not: ROOT. It is its own anchor, and ROOT must hold nothing else
// (Microsoft KB 2795828). Other CAs: CA. Others: kNone, or with import_leaf CA, where they help to build chains but are
// not trusted by themselves.
Store StoreFor(const Certificate& certificate, const StorePolicy& policy);

// What StoreFor's choices mean, in the order of the certificates: `self-signed-leaf` (warning), `leaf-skipped`
// (warning), `leaf-imported` (info), and with root_only `root-not-self-signed` (warning).
Findings ReviewStores(std::span<const Certificate> certificates, const StorePolicy& policy, std::string_view where);

}  // namespace prov::egress
