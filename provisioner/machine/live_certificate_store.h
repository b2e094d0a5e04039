// The certificate stores of the machine that this program runs on (LOCAL_MACHINE).
#pragma once

#include "provisioner/machine/certificate_store.h"
#include "provisioner/machine/registry.h"

namespace prov::machine {

class LiveCertificateStore final : public CertificateStore {
 public:
  explicit LiveCertificateStore(Registry& registry) : registry_(registry) {}

  Result<bool> Contains(egress::Store store, std::string_view der) override;
  Result<bool> IsDisallowed(std::string_view der) override;
  Result<void> Add(egress::Store store, std::string_view der) override;
  Result<void> Remove(egress::Store store, std::string_view der) override;
  Result<void> Flush() override { return registry_.Flush(); }  // the stores lie in SOFTWARE

 private:
  Registry& registry_;
};

}  // namespace prov::machine
