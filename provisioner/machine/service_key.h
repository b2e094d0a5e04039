// A Windows service as its registry key holds it, for images: on a running system the service control manager writes
// these.
#pragma once

#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/machine/services.h"

namespace prov::machine {

std::string ServiceDefinitionKey(std::string_view name);  // `SYSTEM\CurrentControlSet\Services\NAME`

// A process of its own, LocalSystem, started at each boot, restarted after 5, 30 and 60 seconds when it fails.
std::vector<images::RegValue> ServiceValues(const ServiceDefinition& definition);

}  // namespace prov::machine
