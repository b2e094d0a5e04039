// Names of services: what Windows takes, and when two of them are one service.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/machine/registry.h"

namespace prov::reconcile {

// Every name that CreateService takes: 1 to 256 UTF-16 units without slashes; quotes, brackets, `$` and letters of any
// script are fine. Of those, only control characters are refused, since neither a .reg file nor a log could show them.
// Errors: usage.
Result<void> CheckServiceName(std::string_view name);

// The same text for two names of one service, whatever the case of their letters (Windows' own table). In ASCII it is
// AsciiUpper, as in the records of earlier versions. A name by which the registry finds the service, too.
std::string ServiceNameKey(std::string_view name);
bool IsSameService(std::string_view a, std::string_view b);

// The name as the machine spells it; as given where there is no such service. Errors: those of the port.
Result<std::string> SpellingOfService(machine::Registry& registry, std::string_view name);

}  // namespace prov::reconcile
