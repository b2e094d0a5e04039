// The environment of another process of this Windows. For *_win32.cc alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::machine {

// Services::EnvironmentOf.
Result<std::vector<std::string>> ReadProcessEnvironment(std::uint32_t process_id);

}  // namespace prov::machine
