// The endpoints of HNS and their layer-4 proxy policies. Makes the calls that Microsoft's own clients make, in the same
// order, and closes every handle.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/hns/answer.h"
#include "provisioner/machine/compute_network.h"

namespace prov::hns {

struct Endpoint {
  std::string id;
  std::vector<std::string> settings;  // of its layer-4 proxy policies, byte for byte as HNS returns them
  bool is_remote = false;             // stands for a pod of another node: docs/hns-proxy.md#containers

  bool operator==(const Endpoint&) const = default;
};

// IDs are GUIDs without braces, in either case. Errors of all functions: hns; those of ComputeNetwork.

// Enumerates with the ID as a filter, opens, queries, closes. A missing endpoint is an error.
Result<Endpoint> FindEndpoint(machine::ComputeNetwork& network, const std::string& id);
// For an endpoint that was just listed: opens, queries, closes. nullopt: it was deleted meanwhile.
Result<std::optional<Endpoint>> ReadEndpoint(machine::ComputeNetwork& network, const std::string& id);
// All endpoints of the node: those of its pods and its own.
Result<std::vector<std::string>> AllEndpoints(machine::ComputeNetwork& network);
// All endpoints but the node's own, whose traffic is never redirected to a pod's proxy.
Result<std::vector<std::string>> AllPodEndpoints(machine::ComputeNetwork& network);
// The endpoints of a network namespace, which the containers of a pod share. None is an error.
Result<std::vector<std::string>> EndpointsOfNamespace(machine::ComputeNetwork& network, const std::string& id);
// The same for a pod that may end at any time: nullopt without a namespace, or without endpoints in it.
Result<std::optional<std::vector<std::string>>> FindEndpointsOfNamespace(machine::ComputeNetwork& network,
                                                                         const std::string& id);

// The version and features of HNS on this node.
Result<Version> QueryVersion(machine::ComputeNetwork& network);
// Errors: unsupported (HNS is older than 13.2, the first that has layer-4 proxy policies).
Result<void> RequireSupport(const Version& version);
// QueryVersion() and RequireSupport().
Result<void> RequireProxyPolicies(machine::ComputeNetwork& network);

// An open endpoint.
class OpenedEndpoint {
 public:
  // nullopt: it does not exist.
  static Result<std::optional<OpenedEndpoint>> Open(machine::ComputeNetwork& network, const std::string& id);

  OpenedEndpoint(OpenedEndpoint&& other) noexcept;
  OpenedEndpoint& operator=(OpenedEndpoint&&) = delete;
  ~OpenedEndpoint();

  // Its properties as JSON. nullopt: it does not exist any more.
  Result<std::optional<std::string>> Properties(std::string_view query);
  // The settings of its proxy policies. nullopt: the endpoint does not exist any more.
  Result<std::optional<std::vector<std::string>>> Settings(std::string_view query);
  // nullopt: HNS reported success.
  Result<std::optional<Refusal>> Modify(std::string_view request);

  const std::string& id() const { return id_; }

 private:
  OpenedEndpoint(machine::ComputeNetwork& network, machine::NetworkHandle handle, std::string id);

  machine::ComputeNetwork& network_;
  machine::NetworkHandle handle_;  // 0: moved away
  std::string id_;
};

// The query for all objects.
inline constexpr std::string_view kQueryAll = R"({"SchemaVersion":{"Major":2,"Minor":0}})";
// The query for the object with this ID.
std::string QueryFor(std::string_view id);

}  // namespace prov::hns
