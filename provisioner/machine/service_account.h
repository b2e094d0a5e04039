// Whom Windows runs a service as: who must go on reading the service's key when it is closed to others.
#pragma once

#include <string>
#include <string_view>

#include "images/registry/descriptor.h"
#include "provisioner/machine/registry.h"
#include "provisioner/machine/system.h"

namespace prov::machine {

// The binary SID of `NT SERVICE\NAME`, S-1-5-80-…, which is made of the name alone.
std::string ServiceSid(std::string_view service);

struct ServiceReaders {
  images::Sids sids;    // besides SYSTEM, which reads everything
  std::string unknown;  // an account whose SID can't be told here; "" where there is none
};

// By the values ObjectName and ServiceSidType of the service's key: LocalService, NetworkService, another account, and
// the service's own SID where its processes have that. Nobody for LocalSystem, for a driver and for an absent key.
Result<ServiceReaders> ReadersOf(Registry& registry, System& system, std::string_view key, std::string_view service);

}  // namespace prov::machine
