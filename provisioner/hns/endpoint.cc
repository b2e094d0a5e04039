#include "provisioner/hns/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/hns/policy.h"

namespace prov::hns {
namespace {

using machine::ComputeNetwork;
using machine::NetworkObject;

bool Contains(const std::vector<std::string>& ids, std::string_view id) {
  return std::ranges::any_of(ids, [&](const std::string& one) { return EqualsIgnoreAsciiCase(one, id); });
}

std::unexpected<Error> NoEndpoint(const std::string& id) {
  return Fail(
      Code::kHns,
      fmt::format("Endpoint ID \"{}\" not found ({}); provisioner hns-proxy list --all shows those of this node", id,
                  CodeText(kEndpointMissing)),
      id);
}

Result<std::optional<Endpoint>> Read(ComputeNetwork& network, const std::string& id, std::string_view query) {
  std::optional<OpenedEndpoint> opened = PROV_TRY(OpenedEndpoint::Open(network, id));
  if (!opened) return std::nullopt;
  const std::optional<std::string> properties = PROV_TRY(opened->Properties(query));
  if (!properties) return std::nullopt;
  return Endpoint{id, PROV_TRY(ListedSettings(*properties, id)), IsOfAnotherNode(*properties)};
}

// Closes the namespace on destruction.
class OpenedNamespace {
 public:
  OpenedNamespace(ComputeNetwork& network, machine::NetworkHandle handle) : network_(network), handle_(handle) {}
  OpenedNamespace(const OpenedNamespace&) = delete;
  OpenedNamespace& operator=(const OpenedNamespace&) = delete;
  ~OpenedNamespace() { network_.Close(NetworkObject::kNamespace, handle_); }

  Result<machine::NetworkAnswer> Query(std::string_view query) {
    return network_.Query(NetworkObject::kNamespace, handle_, query);
  }

 private:
  ComputeNetwork& network_;
  machine::NetworkHandle handle_;
};

// nullopt: it does not exist.
Result<std::optional<NamespaceProperties>> QueryNamespace(ComputeNetwork& network, const std::string& id,
                                                          std::string_view query) {
  const machine::OpenedNetworkObject opened = PROV_TRY(network.Open(NetworkObject::kNamespace, id));
  if (const auto refusal = RefusalOf(opened.answer)) {
    if (refusal->IsMissing()) return std::nullopt;
    return std::unexpected(refusal->ToError("HcnOpenNamespace", id));
  }
  OpenedNamespace name_space(network, opened.handle);
  machine::NetworkAnswer queried = PROV_TRY(name_space.Query(query));
  const std::string properties = PROV_TRY(TextOf(std::move(queried), "HcnQueryNamespaceProperties", id));
  return PROV_TRY(ReadNamespace(properties, id));
}

// The same, with the calls that enumerate first.
Result<std::optional<NamespaceProperties>> FindNamespace(ComputeNetwork& network, const std::string& id) {
  const std::string query = QueryFor(id);
  machine::NetworkAnswer listed = PROV_TRY(network.Enumerate(NetworkObject::kNamespace, query));
  const std::string list = PROV_TRY(TextOf(std::move(listed), "HcnEnumerateNamespaces", id));
  const std::vector<std::string> ids = PROV_TRY(ReadIds(list, id));
  if (!Contains(ids, id)) return std::nullopt;
  return QueryNamespace(network, id, query);
}

}  // namespace

std::string QueryFor(std::string_view id) {
  return fmt::format(R"({{"SchemaVersion":{{"Major":2,"Minor":0}},"Filter":"{{\"ID\":\"{}\"}}"}})", id);
}

Result<std::optional<OpenedEndpoint>> OpenedEndpoint::Open(ComputeNetwork& network, const std::string& id) {
  const machine::OpenedNetworkObject opened = PROV_TRY(network.Open(NetworkObject::kEndpoint, id));
  const std::optional<Refusal> refusal = RefusalOf(opened.answer);
  if (!refusal) return OpenedEndpoint(network, opened.handle, id);
  if (opened.handle != 0) network.Close(NetworkObject::kEndpoint, opened.handle);
  if (refusal->IsMissing()) return std::nullopt;
  return std::unexpected(refusal->ToError("HcnOpenEndpoint", id));
}

OpenedEndpoint::OpenedEndpoint(ComputeNetwork& network, machine::NetworkHandle handle, std::string id)
    : network_(network), handle_(handle), id_(std::move(id)) {}

OpenedEndpoint::OpenedEndpoint(OpenedEndpoint&& other) noexcept
    : network_(other.network_), handle_(std::exchange(other.handle_, 0)), id_(std::move(other.id_)) {}

OpenedEndpoint::~OpenedEndpoint() {
  if (handle_ != 0) network_.Close(NetworkObject::kEndpoint, handle_);
}

Result<std::optional<std::string>> OpenedEndpoint::Properties(std::string_view query) {
  machine::NetworkAnswer answer = PROV_TRY(network_.Query(NetworkObject::kEndpoint, handle_, query));
  const std::optional<Refusal> refusal = RefusalOf(answer);
  if (!refusal) return std::move(answer.text);
  if (refusal->IsMissing()) return std::nullopt;
  return std::unexpected(refusal->ToError("HcnQueryEndpointProperties", id_));
}

Result<std::optional<std::vector<std::string>>> OpenedEndpoint::Settings(std::string_view query) {
  const std::optional<std::string> properties = PROV_TRY(Properties(query));
  if (!properties) return std::nullopt;
  return PROV_TRY(ListedSettings(*properties, id_));
}

Result<std::optional<Refusal>> OpenedEndpoint::Modify(std::string_view request) {
  const machine::NetworkAnswer answer = PROV_TRY(network_.ModifyEndpoint(handle_, request));
  return RefusalOf(answer);
}

Result<Endpoint> FindEndpoint(ComputeNetwork& network, const std::string& id) {
  const std::string query = QueryFor(id);
  machine::NetworkAnswer answer = PROV_TRY(network.Enumerate(NetworkObject::kEndpoint, query));
  const std::string text = PROV_TRY(TextOf(std::move(answer), "HcnEnumerateEndpoints", id));
  // Do not rely on HNS' filter: only the named endpoint may be changed.
  const std::vector<std::string> ids = PROV_TRY(ReadIds(text, id));
  if (!Contains(ids, id)) return NoEndpoint(id);
  std::optional<Endpoint> found = PROV_TRY(Read(network, id, query));
  if (!found) return NoEndpoint(id);
  return *std::move(found);
}

Result<std::optional<Endpoint>> ReadEndpoint(ComputeNetwork& network, const std::string& id) {
  return Read(network, id, kQueryAll);
}

Result<std::vector<std::string>> AllEndpoints(ComputeNetwork& network) {
  machine::NetworkAnswer answer = PROV_TRY(network.Enumerate(NetworkObject::kEndpoint, kQueryAll));
  const std::string text = PROV_TRY(TextOf(std::move(answer), "HcnEnumerateEndpoints", "HNS"));
  return ReadIds(text, "HNS");
}

Result<std::vector<std::string>> AllPodEndpoints(ComputeNetwork& network) {
  std::vector<std::string> out = PROV_TRY(AllEndpoints(network));
  machine::NetworkAnswer listed = PROV_TRY(network.Enumerate(NetworkObject::kNamespace, kQueryAll));
  const std::string list = PROV_TRY(TextOf(std::move(listed), "HcnEnumerateNamespaces", "HNS"));
  const std::vector<std::string> ids = PROV_TRY(ReadIds(list, "HNS"));
  for (const std::string& id : ids) {
    const auto found = PROV_TRY(QueryNamespace(network, id, kQueryAll));
    if (!found || !found->is_of_node) continue;
    std::erase_if(out, [&](const std::string& endpoint) { return Contains(found->endpoints, endpoint); });
  }
  return out;
}

Result<std::optional<std::vector<std::string>>> FindEndpointsOfNamespace(ComputeNetwork& network,
                                                                         const std::string& id) {
  const std::optional<NamespaceProperties> found = PROV_TRY(FindNamespace(network, id));
  if (!found || found->endpoints.empty()) return std::nullopt;
  return found->endpoints;
}

Result<std::vector<std::string>> EndpointsOfNamespace(ComputeNetwork& network, const std::string& id) {
  std::optional<NamespaceProperties> found = PROV_TRY(FindNamespace(network, id));
  if (!found) {
    return Fail(
        Code::kHns,
        fmt::format("Namespace ID \"{}\" not found ({}); provisioner hns-proxy lookup prints that of a container", id,
                    CodeText(kNotFound)),
        id);
  }
  if (!found->endpoints.empty()) return std::move(found->endpoints);
  return Fail(
      Code::kHns,
      fmt::format("no endpoint is attached to the namespace ({}); its pod has no network (any more)", CodeText(kDone)),
      id);
}

Result<Version> QueryVersion(ComputeNetwork& network) {
  const machine::NetworkAnswer answer = PROV_TRY(network.Version());
  return ReadVersion(answer);
}

Result<void> RequireSupport(const Version& version) {
  if (version.HasProxyPolicies()) return {};
  return Fail(Code::kUnsupported,
              fmt::format("HNS {} of this Windows has no layer-4 proxy policies; they need HNS 13.2, which Windows "
                          "Server 2022 has",
                          version.Text()),
              "HNS");
}

Result<void> RequireProxyPolicies(ComputeNetwork& network) {
  const Version version = PROV_TRY(QueryVersion(network));
  return RequireSupport(version);
}

}  // namespace prov::hns
