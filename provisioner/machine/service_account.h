// The account that a service runs as: it must keep read access to the service's key when the key is closed to others.
#pragma once

#include <string>
#include <string_view>

#include "images/registry/descriptor.h"
#include "provisioner/machine/registry.h"
#include "provisioner/machine/system.h"

namespace prov::machine {

// The binary SID of `NT SERVICE\NAME`, S-1-5-80-…, which is derived from the name alone.
std::string ServiceSid(std::string_view service);

struct ServiceReaders {
  images::Sids sids;    // besides SYSTEM, which reads everything
  std::string unknown;  // an account whose SID can't be told here; "" where there is none
};

// From the values ObjectName and ServiceSidType of the service's key: LocalService, NetworkService, another account,
// and the service's own SID if its processes have it. Nobody for LocalSystem, for a driver and for an absent key.
Result<ServiceReaders> ReadersOf(Registry& registry, System& system, std::string_view key, std::string_view service);

}  // namespace prov::machine
