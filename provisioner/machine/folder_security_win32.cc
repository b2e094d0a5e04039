#include "provisioner/base/windows_api.h"
#include "provisioner/machine/folder_security.h"

namespace prov::machine {

std::string AccountForAdministrators() { return win32::RunsUnderWine() ? win32::AccountSid() : std::string(); }

}  // namespace prov::machine
