// The registry of the machine that this program runs on, in its 64-bit view.
#pragma once

#include "provisioner/machine/registry.h"

namespace prov::machine {

class LiveRegistry final : public Registry {
 public:
  Result<bool> KeyExists(std::string_view key) override;
  Result<std::optional<images::RegValue>> Read(std::string_view key, std::string_view name) override;
  Result<std::vector<std::string>> Subkeys(std::string_view key) override;
  Result<void> Set(std::string_view key, const images::RegValue& value) override;
  Result<void> DeleteValue(std::string_view key, std::string_view name) override;
  Result<void> DeleteKeyIfEmpty(std::string_view key) override;
  bool HasSecurity() const override { return true; }
  Result<std::string> Security(std::string_view key) override;
  Result<void> SetSecurity(std::string_view key, std::string_view descriptor) override;
  Result<void> Flush() override;
};

}  // namespace prov::machine
