// Port: the identity of a machine and of its current boot, the announcement of a changed environment, and accounts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::machine {

class System {
 public:
  virtual ~System() = default;

  virtual Result<std::string> MachineId() = 0;  // MachineGuid; a clone has another one
  virtual Result<std::string> BootId() = 0;     // differs after each boot; "" where nothing runs (an image)
  // WM_SETTINGCHANGE "Environment": new processes of listening programs see the change. Best effort.
  virtual void AnnounceEnvironment() = 0;
  // The binary SID of an account (DOMAIN\name, name@domain, .\name); nullopt if it can't be found here or now.
  virtual std::optional<std::string> AccountSid(std::string_view /*account*/) { return std::nullopt; }
};

}  // namespace prov::machine
