#include "provisioner/hns/pods.h"

#include <optional>

#include "provisioner/hns/container.h"
#include "provisioner/hns/crictl.h"
#include "provisioner/hns/endpoint.h"

namespace prov::hns {
namespace {

using Endpoints = std::optional<std::vector<std::string>>;

// nullopt: the pod has no endpoint, or has ended.
Result<Endpoints> EndpointsOfContainer(machine::ComputeNetwork& network, machine::Programs& programs,
                                       const std::string& crictl, const std::string& id) {
  Result<std::string> document = InspectContainer(programs, crictl, id);
  if (!document && document.error().code == Code::kNotFound) return std::nullopt;
  const Result<Container> container = ReadContainer(PROV_TRY(std::move(document)), id, crictl);
  if (!container && container.error().code == Code::kKind) return std::nullopt;
  if (!container) return std::unexpected(container.error());
  return FindEndpointsOfNamespace(network, container->network_namespace);
}

}  // namespace

Result<std::vector<std::string>> EndpointsOfPods(machine::ComputeNetwork& network, machine::Programs& programs,
                                                 std::string_view pods) {
  if (pods == kAllPods) return AllPodEndpoints(network);
  const std::optional<std::string> crictl = programs.Find("crictl");
  if (!crictl) {
    return Fail(Code::kTarget,
                "crictl is not in the machine's PATH, and it says which pods are in a namespace; put it there, or let "
                "the policy be for all pods",
                "crictl");
  }
  PROV_TRY(programs.CheckFile(*crictl));  // the boot service runs it as SYSTEM
  std::vector<std::string> out;
  const std::vector<std::string> containers = PROV_TRY(ContainersOfPods(programs, *crictl, pods));
  for (const std::string& id : containers) {
    const Endpoints found = PROV_TRY(EndpointsOfContainer(network, programs, *crictl, id));
    if (found) out.insert(out.end(), found->begin(), found->end());
  }
  return out;
}

}  // namespace prov::hns
