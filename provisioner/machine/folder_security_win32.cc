#include "provisioner/base/windows_api.h"
#include "provisioner/machine/folder_security.h"

namespace prov::machine {

// Windows' ntdll has no such function, and nobody can add one.
std::string AccountForAdministrators() {
  const bool under_wine = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr;
  return under_wine ? win32::AccountSid() : std::string();
}

}  // namespace prov::machine
