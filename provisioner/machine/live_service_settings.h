// What the service control manager is told of a service. Only *_win32.cc may include it.
#pragma once

#include "provisioner/machine/services.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {

using ServiceHandle = Owned<SC_HANDLE, &CloseServiceHandle>;

// Services::Install, for a service that is missing.
Result<void> MakeService(const ServiceHandle& manager, const ServiceDefinition& definition);

// And for one that is there: writes only what differs. Whether anything was.
Result<bool> CorrectService(const ServiceHandle& service, const ServiceDefinition& definition);

}  // namespace prov::machine
