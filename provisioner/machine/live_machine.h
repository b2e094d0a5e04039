// The machine that this program runs on: a Windows. For *_win32.cc; others have LiveHost().
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

// `C:\ProgramData\Provisioner`, wherever ProgramData is; the environment has no say in it. Errors: target.
Result<std::string> DefaultStateFolder();

// Makes `state_folder` where it is missing (its parent must exist). Errors: owner (the folder is a link, or others
// than SYSTEM and Administrators own it or have rights on it), io.
Result<std::unique_ptr<LiveMachine>> OpenLiveMachine(const std::string& state_folder);

// As above, but makes nothing: where the folder is missing, nothing is kept yet. Writing state is a defect then.
Result<std::unique_ptr<LiveMachine>> OpenLiveMachineToRead(const std::string& state_folder);

}  // namespace prov::machine
