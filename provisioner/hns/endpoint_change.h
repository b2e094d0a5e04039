// Changes the proxy policies of an endpoint, and explains it when HNS does not do so.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "provisioner/hns/endpoint.h"

namespace prov::hns {

// Settings of policies. To remove: as HNS returns them; to add: as SettingsJson() writes them.
struct EndpointChange {
  std::vector<std::string> remove;
  std::vector<std::string> add;

  bool IsEmpty() const { return remove.empty() && add.empty(); }
  bool operator==(const EndpointChange&) const = default;
};

// Adds those that are missing. Existing ones stay.
EndpointChange ChangeToAdd(std::span<const std::string> present, std::span<const std::string> wanted);
// The endpoint gets exactly the wanted policies. Policies that are already right stay untouched.
EndpointChange ChangeToEnsure(std::span<const std::string> present, std::span<const std::string> wanted);
// Removes all.
EndpointChange ChangeToClear(std::span<const std::string> present);

// Opens the endpoint, removes, adds, queries the result, closes. Returns what is there afterwards; nullopt: the
// endpoint is gone. If adding fails, policies that took effect are removed, removed ones are put back, and the error
// says whether that worked. Errors: hns (refused, or reported as done but without effect). `change` is not empty.
Result<std::optional<Endpoint>> ChangeEndpoint(machine::ComputeNetwork& network, const std::string& id,
                                               const EndpointChange& change);

}  // namespace prov::hns
