// Port: the machine's certificate stores.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/pki/trust_store.h"

namespace prov::machine {

// `der` is one whole certificate; `store` is kRoot or kCa.
class CertificateStore {
 public:
  virtual ~CertificateStore() = default;

  // Searches every physical store of the system store, so certificates from Windows itself, a group policy or an
  // administrator count.
  virtual Result<bool> Contains(pki::Store store, std::string_view der) = 0;
  // The certificate with this SHA-1 (40 hex digits, in either case) in the stores that Contains searches; nullopt:
  // none.
  virtual Result<std::optional<std::string>> Find(pki::Store store, std::string_view sha1) = 0;
  virtual Result<bool> IsDisallowed(std::string_view der) = 0;

  // Adds to the machine's own physical store. A certificate that is already there keeps its properties.
  virtual Result<void> Add(pki::Store store, std::string_view der) = 0;
  // Removes from the machine's own physical store. Does nothing if the certificate is absent.
  virtual Result<void> Remove(pki::Store store, std::string_view der) = 0;
  virtual Result<void> Flush() = 0;
};

}  // namespace prov::machine
