// The Host Networking Service in memory. It answers as hcsshim's programs were answered (docs/hns-proxy.md), echoes the
// settings that it is given, logs each call, and can refuse, do nothing or stop at any of them.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/machine/compute_network.h"
#include "tests/support/stoppable_calls.h"

namespace prov::testing_support {

class MemoryNetwork final : public machine::ComputeNetwork, public StoppableCalls {
 public:
  using Call = std::pair<std::string, std::string>;  // "HcnModifyEndpoint" and its document or GUID

  // Endpoints by their GUIDs as they are told; of each the policies, whole: {"Type":…,"Settings":…}.
  std::map<std::string, std::vector<std::string>> endpoints;
  std::set<std::string> remote;  // those of them that stand for pods of other nodes
  // Namespaces by their GUIDs; of each the endpoints.
  std::map<std::string, std::vector<std::string>> namespaces;
  std::string namespace_of_node;  // the GUID of the one that is the node's own
  std::string version = R"({"Success":true,"Output":{"Major":13,"Minor":2}})";

  std::vector<Call> log;
  std::size_t open = 0;  // handles that nobody closed; closing is not counted as a call

  // Modifications of this kind ("Add", "Remove") are done by what is answered, and nothing happens.
  std::string without_effect;
  // Policies that an endpoint has at most: of more the answer is "done", and nothing happens.
  std::size_t most_policies = std::numeric_limits<std::size_t>::max();
  // Those of this kind are answered with it.
  std::map<std::string, machine::NetworkAnswer> refused;
  bool ignores_filters = false;  // of enumerations
  // What others do just before each call.
  std::function<void(std::string_view call)> meanwhile;

  // The proxy policies of an endpoint, and all others, as lines.
  std::string PoliciesOf(const std::string& id) const;
  // Names of the calls that were logged.
  std::vector<std::string> CallNames() const;

  // machine::ComputeNetwork
  Result<machine::NetworkAnswer> Enumerate(machine::NetworkObject kind, std::string_view query) override;
  Result<machine::OpenedNetworkObject> Open(machine::NetworkObject kind, std::string_view id) override;
  Result<machine::NetworkAnswer> Query(machine::NetworkObject kind, machine::NetworkHandle object,
                                       std::string_view query) override;
  void Close(machine::NetworkObject kind, machine::NetworkHandle object) override;
  Result<machine::NetworkAnswer> ModifyEndpoint(machine::NetworkHandle endpoint, std::string_view request) override;
  Result<machine::NetworkAnswer> Version() override;

 private:
  template <class Effect>
  auto Answer(std::string call, std::string_view document, Effect effect) -> decltype(effect());
  machine::NetworkAnswer EndpointProperties(const std::string& id) const;
  machine::NetworkAnswer NamespaceProperties(const std::string& id) const;
  machine::NetworkAnswer Modify(const std::string& id, std::string_view request);

  std::map<machine::NetworkHandle, std::string> handles_;  // to GUIDs as they were given
  machine::NetworkHandle next_ = 1;
};

}  // namespace prov::testing_support
