// This process as a service.
#pragma once

#include <functional>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::machine {

// Host::RunAsService. Once in a process's life.
Result<void> RunServiceProcess(std::string_view name, const std::function<void()>& body);

}  // namespace prov::machine
