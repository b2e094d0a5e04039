// The machine that this program runs on.
#pragma once

#include <memory>
#include <string>

#include "provisioner/machine/machine.h"

namespace prov::machine {

class LiveMachine {
 public:
  virtual ~LiveMachine() = default;
  virtual Machine Ports() = 0;  // valid as long as this object
};

// `C:\ProgramData\Provisioner`, wherever ProgramData is. Errors: target (no Windows).
Result<std::string> DefaultStateFolder();

// Makes `state_folder` where it is missing (its parent must exist). Errors: target (no Windows), owner (the folder is a
// link, or others than SYSTEM and Administrators own it or have rights on it), io.
Result<std::unique_ptr<LiveMachine>> OpenLiveMachine(const std::string& state_folder);

}  // namespace prov::machine
