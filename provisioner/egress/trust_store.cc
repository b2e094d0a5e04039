#include "provisioner/egress/trust_store.h"

#include <fmt/format.h>

namespace prov::egress {

std::string_view NameOf(Store store) {
  switch (store) {
    case Store::kRoot:
      return "ROOT";
    case Store::kCa:
      return "CA";
    case Store::kNone:
      return "none";
  }
  return "none";
}

Store StoreFor(const Certificate& certificate, const StorePolicy& policy) {
  if (certificate.self_signed) return Store::kRoot;
  if (!certificate.is_ca && !policy.import_leaf) return Store::kNone;
  return policy.root_only ? Store::kRoot : Store::kCa;
}

Findings ReviewStores(std::span<const Certificate> certificates, const StorePolicy& policy, std::string_view where) {
  Findings out;
  const std::string place(where);
  for (const Certificate& c : certificates) {
    const Store store = StoreFor(c, policy);
    if (c.self_signed && !c.is_ca) {
      AddWarning(out, "self-signed-leaf",
                 fmt::format("{} is self-signed and no CA; it goes to ROOT, where it vouches for itself only", c.subject), place);
    } else if (store == Store::kNone) {
      AddWarning(out, "leaf-skipped",
                 fmt::format("{} is neither a CA nor self-signed and is left out; --import-leaf takes it", c.subject), place);
    } else if (!c.self_signed && !c.is_ca) {
      AddInfo(out, "leaf-imported", fmt::format("{} is no CA; it goes to {}", c.subject, NameOf(store)), place);
    }
    if (store == Store::kRoot && !c.self_signed) {
      AddWarning(out, "root-not-self-signed",
                 fmt::format("{} is not self-signed; in ROOT it can break client-certificate authentication of IIS", c.subject), place);
    }
  }
  return out;
}

}  // namespace prov::egress
