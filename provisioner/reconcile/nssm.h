// Services that nssm runs: it keeps the environment of their programs below the service's key
// (docs/formats/environment.md#under-nssm).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/machine/registry.h"

namespace prov::reconcile {

inline constexpr std::string_view kNssmKey = R"(\Parameters)";         // below the service's
inline constexpr std::string_view kNssmExtra = "AppEnvironmentExtra";  // a list that wins over all others

// Whether nssm gives the service's program another proxy than `Environment` does, or nothing of what is there.
Result<bool> NssmOverrides(machine::Registry& registry, std::string_view service);

// The services to which nssm gives a proxy of their own, as the machine spells them.
Result<std::vector<std::string>> ServicesWithNssmProxy(machine::Registry& registry);

}  // namespace prov::reconcile
