#include "provisioner/hns/endpoint_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "provisioner/hns/answer.h"
#include "provisioner/hns/policy.h"

namespace prov::hns {
namespace {

using Settings = std::vector<std::string>;

bool Has(std::span<const std::string> all, const std::string& one) {
  return std::ranges::any_of(all, [&](const std::string& other) { return SameSettings(other, one); });
}

bool HasAll(std::span<const std::string> all, std::span<const std::string> wanted) {
  return std::ranges::all_of(wanted, [&](const std::string& one) { return Has(all, one); });
}

bool HasAnyOf(std::span<const std::string> all, std::span<const std::string> unwanted) {
  return std::ranges::any_of(unwanted, [&](const std::string& one) { return Has(all, one); });
}

// Why adding failed.
struct Failed {
  Error error;
  bool missing = false;  // the endpoint does not exist any more
};

Failed FailedBy(const Refusal& refusal, const std::string& id) {
  return {refusal.ToError("HcnModifyEndpoint", id), refusal.IsEndpointMissing()};
}

Error WithoutEffect(std::string_view done, std::string_view seen, const std::string& id) {
  return {Code::kHns,
          fmt::format("HNS says that it {} ({}), and {}. Windows Server 2022 is known for this once a node has some 15 "
                      "such policies; clear those that are not needed, and run this again",
                      done, CodeText(kDone), seen),
          id};
}

Error NotAdded(const Settings& after, const Settings& wanted, const std::string& id) {
  const auto there = std::ranges::count_if(wanted, [&](const std::string& one) { return Has(after, one); });
  if (there == 0) return WithoutEffect("added the policy", "nothing changed", id);
  return WithoutEffect("added the policies", fmt::format("only {} of {} are there", there, wanted.size()), id);
}

// nullopt: the endpoint has the wanted policies; `after` has all its policies.
Result<std::optional<Failed>> Add(OpenedEndpoint& endpoint, const EndpointChange& change, Settings& after) {
  if (!change.add.empty()) {
    const auto refusal = PROV_TRY(endpoint.Modify(ModifyRequest(Modification::kAdd, change.add)));
    if (refusal) return FailedBy(*refusal, endpoint.id());
  }
  auto settings = PROV_TRY(endpoint.Settings(kQueryAll));
  if (!settings) return Failed{{}, true};
  after = *std::move(settings);
  if (!HasAll(after, change.add)) return Failed{NotAdded(after, change.add, endpoint.id())};
  return std::nullopt;
}

// Undoes a partial change, which would redirect other traffic than wanted. If HNS refuses, the next run finds the rest.
Result<void> TakeBack(OpenedEndpoint& endpoint, const Settings& after, const Settings& added) {
  Settings half;
  std::ranges::copy_if(after, std::back_inserter(half), [&](const std::string& one) { return Has(added, one); });
  if (!half.empty()) PROV_TRY(endpoint.Modify(ModifyRequest(Modification::kRemove, half)));
  return {};
}

// Returns whether the removed policies are there again. HNS may have reported a removal that it did not make.
Result<bool> PutBack(OpenedEndpoint& endpoint, const Settings& removed) {
  const auto now = PROV_TRY(endpoint.Settings(kQueryAll));
  if (!now) return false;
  const Settings missing = ChangeToAdd(*now, removed).add;
  if (missing.empty()) return true;
  PROV_TRY(endpoint.Modify(ModifyRequest(Modification::kAdd, missing)));
  const auto settings = PROV_TRY(endpoint.Settings(kQueryAll));
  return settings && HasAll(*settings, removed);
}

// `after`: the policies after adding failed.
Error AfterPutBack(OpenedEndpoint& endpoint, const EndpointChange& change, const Settings& after, Error error) {
  const Result<void> taken = TakeBack(endpoint, after, change.add);
  if (change.remove.empty()) return error;
  const Result<bool> back = taken ? PutBack(endpoint, change.remove) : Result<bool>(false);
  error.message += back && *back
                       ? ". The policies that were there before are back"
                       : ". The policies that were there before are removed and could not be put back: traffic "
                         "of this endpoint is not redirected now";
  return error;
}

}  // namespace

EndpointChange ChangeToAdd(std::span<const std::string> present, std::span<const std::string> wanted) {
  EndpointChange out;
  for (const std::string& one : wanted) {
    if (!Has(present, one) && !Has(out.add, one)) out.add.push_back(one);
  }
  return out;
}

EndpointChange ChangeToEnsure(std::span<const std::string> present, std::span<const std::string> wanted) {
  EndpointChange out = ChangeToAdd(present, wanted);
  for (const std::string& one : present) {
    if (!Has(wanted, one)) out.remove.push_back(one);
  }
  return out;
}

EndpointChange ChangeToClear(std::span<const std::string> present) { return {{present.begin(), present.end()}, {}}; }

Result<std::optional<Endpoint>> ChangeEndpoint(machine::ComputeNetwork& network, const std::string& id,
                                               const EndpointChange& change) {
  std::optional<OpenedEndpoint> endpoint = PROV_TRY(OpenedEndpoint::Open(network, id));
  if (!endpoint) return std::nullopt;
  if (!change.remove.empty()) {
    const auto refusal = PROV_TRY(endpoint->Modify(ModifyRequest(Modification::kRemove, change.remove)));
    if (refusal && refusal->IsEndpointMissing()) return std::nullopt;
    if (refusal) return std::unexpected(refusal->ToError("HcnModifyEndpoint", id));
  }
  Endpoint out{id, {}};
  std::optional<Failed> failed = PROV_TRY(Add(*endpoint, change, out.settings));
  if (failed && failed->missing) return std::nullopt;
  if (failed) return std::unexpected(AfterPutBack(*endpoint, change, out.settings, std::move(failed->error)));
  if (HasAnyOf(out.settings, change.remove))
    return std::unexpected(WithoutEffect("removed the policy", "nothing changed", id));
  return out;
}

}  // namespace prov::hns
