// Endpoints as HNS has them: which there are, and their layer-4 proxy policies. The calls are those that Microsoft's
// own clients make, in their order; whatever is opened is closed.
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
  std::vector<std::string> settings;  // of its layer-4 proxy policies, byte for byte as HNS tells them
  bool is_remote = false;             // stands for a pod of another node: docs/hns-proxy.md#containers

  bool operator==(const Endpoint&) const = default;
};

// IDs are GUIDs without braces, in either case. Errors of all functions: hns; those of ComputeNetwork.

// Enumerates with the ID as a filter, opens, queries, closes. An endpoint that is not there is an error.
Result<Endpoint> FindEndpoint(machine::ComputeNetwork& network, const std::string& id);
// The same of one that was told just now: opens, queries, closes. nullopt: it has gone meanwhile.
Result<std::optional<Endpoint>> ReadEndpoint(machine::ComputeNetwork& network, const std::string& id);
// Those of the node, of all pods and of the node itself.
Result<std::vector<std::string>> AllEndpoints(machine::ComputeNetwork& network);
// The same without those of the node itself, whose traffic no pod's proxy takes.
Result<std::vector<std::string>> AllPodEndpoints(machine::ComputeNetwork& network);
// Those of a network namespace, which is what the containers of a pod share. None is an error.
Result<std::vector<std::string>> EndpointsOfNamespace(machine::ComputeNetwork& network, const std::string& id);
// The same of a pod that may end at any time: no namespace, and one without endpoints, is nullopt.
Result<std::optional<std::vector<std::string>>> FindEndpointsOfNamespace(machine::ComputeNetwork& network,
                                                                         const std::string& id);

// What of HNS this node has.
Result<Version> QueryVersion(machine::ComputeNetwork& network);
// Errors: unsupported (HNS is older than 13.2, the first that has layer-4 proxy policies).
Result<void> RequireSupport(const Version& version);
// Both.
Result<void> RequireProxyPolicies(machine::ComputeNetwork& network);

// An endpoint that is open.
class OpenedEndpoint {
 public:
  // nullopt: it is not there.
  static Result<std::optional<OpenedEndpoint>> Open(machine::ComputeNetwork& network, const std::string& id);

  OpenedEndpoint(OpenedEndpoint&& other) noexcept;
  OpenedEndpoint& operator=(OpenedEndpoint&&) = delete;
  ~OpenedEndpoint();

  // What HNS tells of it: JSON. nullopt: it is not there any more.
  Result<std::optional<std::string>> Properties(std::string_view query);
  // The settings of its proxy policies. nullopt: as above.
  Result<std::optional<std::vector<std::string>>> Settings(std::string_view query);
  // nullopt: it was done, by what HNS says.
  Result<std::optional<Refusal>> Modify(std::string_view request);

  const std::string& id() const { return id_; }

 private:
  OpenedEndpoint(machine::ComputeNetwork& network, machine::NetworkHandle handle, std::string id);

  machine::ComputeNetwork& network_;
  machine::NetworkHandle handle_;  // 0: given away
  std::string id_;
};

// Everything there is.
inline constexpr std::string_view kQueryAll = R"({"SchemaVersion":{"Major":2,"Minor":0}})";
// The one of this ID.
std::string QueryFor(std::string_view id);

}  // namespace prov::hns
