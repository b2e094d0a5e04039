// Identity of the machine that this program runs on and of its current boot.
#pragma once

#include "provisioner/machine/registry.h"
#include "provisioner/machine/system.h"

namespace prov::machine {

class LiveSystem final : public System {
 public:
  explicit LiveSystem(Registry& registry) : registry_(registry) {}

  Result<std::string> MachineId() override;
  Result<std::string> BootId() override;
  void AnnounceEnvironment() override;
  std::optional<std::string> AccountSid(std::string_view account) override;

 private:
  Registry& registry_;
};

}  // namespace prov::machine
