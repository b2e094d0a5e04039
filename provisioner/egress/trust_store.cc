#include "provisioner/egress/trust_store.h"

#include <fmt/format.h>

#include <string>

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
  std::size_t number = 0;
  for (const Certificate& certificate : certificates) {
    const std::string name = fmt::format("certificate {} \"{}\"", ++number, certificate.subject);
    const Store store = StoreFor(certificate, policy);
    if (store == Store::kNone) {
      AddWarning(out, "leaf-skipped",
                 fmt::format("{} is neither a CA nor self-signed and is not imported; --import-leaf imports it", name),
                 std::string(where));
    } else if (certificate.self_signed && !certificate.is_ca) {
      AddWarning(out, "self-signed-leaf",
                 fmt::format("{} is self-signed but no CA; it is imported into ROOT and vouches for itself only", name),
                 std::string(where));
    } else if (!certificate.is_ca) {
      AddInfo(out, "leaf-imported",
              fmt::format("{} is neither a CA nor self-signed; it is imported into {} as asked", name, NameOf(store)),
              std::string(where));
    }
    if (store == Store::kRoot && !certificate.self_signed) {
      AddWarning(
          out, "root-not-self-signed",
          fmt::format("{} is not self-signed; in ROOT it breaks client certificate authentication of Windows servers",
                      name),
          std::string(where));
    }
  }
  return out;
}

}  // namespace prov::egress
