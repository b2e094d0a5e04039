#include "provisioner/machine/folder_security.h"

namespace prov::machine {

std::string AccountForAdministrators() { return {}; }

}  // namespace prov::machine
