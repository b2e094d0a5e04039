// The account that a service runs as: it must keep read access to the service's key when others lose it.
#pragma once

#include <string>
#include <string_view>

#include "images/registry/descriptor.h"
#include "provisioner/machine/registry.h"
#include "provisioner/machine/system.h"

namespace prov::machine {

// The binary SID of `NT SERVICE\NAME`, S-1-5-80-…; it depends only on the name.
std::string ServiceSid(std::string_view service);

struct ServiceReaders {
  images::Sids sids;    // without SYSTEM, which can read everything
  std::string unknown;  // an account whose SID can't be found here; "" if there is none
};

// Reads ObjectName and ServiceSidType of the service's key: LocalService, NetworkService or another account, and the
// service's own SID if its processes have it. Empty for LocalSystem, a driver and an absent key.
Result<ServiceReaders> ReadersOf(Registry& registry, System& system, std::string_view key, std::string_view service);

}  // namespace prov::machine
