// Changes the proxy policies of an endpoint, and explains when HNS does not apply them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "provisioner/hns/endpoint.h"

namespace prov::hns {

// The settings of policies: to remove, as HNS returns them; to add, as SettingsJson() writes them.
struct EndpointChange {
  std::vector<std::string> remove;
  std::vector<std::string> add;

  bool IsEmpty() const { return remove.empty() && add.empty(); }
  bool operator==(const EndpointChange&) const = default;
};

// Adds the missing policies. Existing ones stay.
EndpointChange ChangeToAdd(std::span<const std::string> present, std::span<const std::string> wanted);
// Makes the endpoint have exactly the wanted policies. Policies that are already there are not touched.
EndpointChange ChangeToEnsure(std::span<const std::string> present, std::span<const std::string> wanted);
// Removes all policies.
EndpointChange ChangeToClear(std::span<const std::string> present);

// Opens the endpoint, removes, adds, queries the result, closes. Returns its present policies; nullopt: the endpoint
// does not exist any more. If adding fails, removes those that took effect and adds the removed ones again; the error
// says whether that worked. Errors: hns (refused, or reported as done but without effect). `change` must not be empty.
Result<std::optional<Endpoint>> ChangeEndpoint(machine::ComputeNetwork& network, const std::string& id,
                                               const EndpointChange& change);

}  // namespace prov::hns
