// How the proxy policies of an endpoint become the wanted ones, and what there is to say when HNS does not do it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "provisioner/hns/endpoint.h"

namespace prov::hns {

// Settings of policies. To remove: as HNS tells them; to add: as SettingsJson() writes them.
struct EndpointChange {
  std::vector<std::string> remove;
  std::vector<std::string> add;

  bool IsEmpty() const { return remove.empty() && add.empty(); }
  bool operator==(const EndpointChange&) const = default;
};

// Adds those that are not there. What is there stays.
EndpointChange ChangeToAdd(std::span<const std::string> present, std::span<const std::string> wanted);
// The endpoint has the wanted ones and no others. What is the same already stays untouched.
EndpointChange ChangeToEnsure(std::span<const std::string> present, std::span<const std::string> wanted);
// The endpoint has none.
EndpointChange ChangeToClear(std::span<const std::string> present);

// Opens the endpoint, removes, adds, queries what is there now, closes. What is there afterwards; nullopt: the endpoint
// is not there any more. When adding fails, what of it took effect is removed, what was removed before is put back,
// and the error says whether that worked. Errors: hns (refused, or done by what HNS says and without effect). `change`
// is not empty.
Result<std::optional<Endpoint>> ChangeEndpoint(machine::ComputeNetwork& network, const std::string& id,
                                               const EndpointChange& change);

}  // namespace prov::hns
