// Names of services: which names Windows accepts, and when two names mean the same service.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/machine/registry.h"

namespace prov::reconcile {

// Accepts every name that CreateService accepts: 1 to 256 UTF-16 units without slashes. Quotes, brackets, `$` and
// letters of any script are fine. Only control characters are refused, since neither a .reg file nor a log can show
// them. Errors: usage.
Result<void> CheckServiceName(std::string_view name);

// The same text for every spelling of one service's name, by Windows' own case table: ASCII letters in lower case,
// others in upper case. The registry finds the service by this text, too.
std::string ServiceNameKey(std::string_view name);
bool IsSameService(std::string_view a, std::string_view b);

// Whether nodes of Kubernetes often have a service of this name, such as kubelet.
bool IsNodeService(std::string_view name);
// "did you mean kubelet?" for another name that may be a misspelling of such a service; "" for all others.
std::string SuggestNodeService(std::string_view name);

// Whether a service starts containerd itself, as those of RKE2 and k0s do. In its environment, a variable with the
// prefix is for containerd alone, which gets it without the prefix in the place of the plain one.
// docs/other-clusters.md#rke2-and-k0s-variables-for-containerd-alone
inline constexpr std::string_view kContainerdPrefix = "CONTAINERD_";
inline constexpr std::array<std::string_view, 2> kContainerdStarters = {"rke2", "k0sworker"};
bool StartsContainerd(std::string_view service);

// The name as the machine spells it; as given where there is no such service. Errors: those of the port.
Result<std::string> SpellingOfService(machine::Registry& registry, std::string_view name);

}  // namespace prov::reconcile
