// The certificate stores of an image, as Windows would put them together from its SOFTWARE hive.
#pragma once

#include "provisioner/machine/certificate_store.h"
#include "provisioner/machine/registry.h"
#include "provisioner/machine/state_record.h"

namespace prov::machine {

class ImageCertificateStore final : public CertificateStore {
 public:
  // Both must outlive this. `state` remembers which keys were made for a store, so that they can go again.
  ImageCertificateStore(Registry& registry, StateRecord& state) : registry_(registry), state_(state) {}

  Result<bool> Contains(pki::Store store, std::string_view der) override;
  Result<std::optional<std::string>> Find(pki::Store store, std::string_view sha1) override;
  Result<bool> IsDisallowed(std::string_view der) override;
  Result<void> Add(pki::Store store, std::string_view der) override;
  Result<void> Remove(pki::Store store, std::string_view der) override;
  Result<void> Flush() override { return {}; }  // the registry's Flush writes it

 private:
  Result<bool> Holds(std::string_view store_key, std::string_view der);
  Result<void> RememberOwnKeys(const std::string& store_key);
  Result<void> RemoveOwnKeys(const std::string& store_key);

  Registry& registry_;
  StateRecord& state_;
};

}  // namespace prov::machine
