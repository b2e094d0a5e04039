// The certificate stores of the machine that this program runs on (LOCAL_MACHINE).
#pragma once

#include <memory>

#include "provisioner/machine/certificate_store.h"
#include "provisioner/machine/registry.h"

namespace prov::machine {

// Looks at each store once, as opening one is slow: what others change while this object lives is seen by the next one.
// What was added may be written only by Flush.
class LiveCertificateStore final : public CertificateStore {
 public:
  explicit LiveCertificateStore(Registry& registry);
  LiveCertificateStore(const LiveCertificateStore&) = delete;
  LiveCertificateStore& operator=(const LiveCertificateStore&) = delete;
  ~LiveCertificateStore() override;

  Result<bool> Contains(pki::Store store, std::string_view der) override;
  Result<std::optional<std::string>> Find(pki::Store store, std::string_view sha1) override;
  Result<bool> IsDisallowed(std::string_view der) override;
  Result<void> Add(pki::Store store, std::string_view der) override;
  Result<void> Remove(pki::Store store, std::string_view der) override;
  Result<void> Flush() override;  // the stores lie in SOFTWARE

 private:
  struct Open;
  Registry& registry_;
  std::unique_ptr<Open> open_;
};

}  // namespace prov::machine
