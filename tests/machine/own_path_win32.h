// The place of the test program that runs.
#pragma once

#include <string>

#include "provisioner/machine/windows_calls.h"

namespace prov::machine {

inline std::string OwnPath() {
  wchar_t path[MAX_PATH] = {};
  GetModuleFileNameW(nullptr, path, MAX_PATH);
  return Narrow(path);
}

}  // namespace prov::machine
