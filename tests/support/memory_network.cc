#include "tests/support/memory_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/text.h"

namespace prov::testing_support {
namespace {

using machine::NetworkAnswer;
using machine::NetworkHandle;
using machine::OpenedNetworkObject;

NetworkAnswer Refused(std::uint32_t code, std::string_view text) {
  return {code, "", fmt::format(R"({{"Success":false,"Error":"{} ","ErrorCode":{}}})", text, code)};
}

NetworkAnswer NoEndpoint() { return Refused(0x803B0002U, "The endpoint was not found."); }
NetworkAnswer NoNamespace() { return Refused(0x803B0014U, "The namespace was not found."); }
NetworkAnswer BadPolicy() {
  return Refused(0x803B000DU, "The provided policy configuration is invalid or missing parameters.");
}

// The entry of that GUID, in whatever case it is given.
template <class Map>
auto FindId(Map& all, std::string_view id) {
  return std::find_if(all.begin(), all.end(), [&](const auto& one) { return EqualsIgnoreAsciiCase(one.first, id); });
}

// The ID that the filter of a query asks for; nullopt: all.
std::optional<std::string> FilteredId(std::string_view query) {
  const Result<JsonNode> root = ParseJsonDocument(query, "query");
  if (!root) return "no query";
  const auto filter = root->Find("Filter");
  if (!filter || !*filter) return std::nullopt;
  const Result<JsonNode> inner = ParseJsonDocument(*(*filter)->Text(), "filter");
  return inner ? *inner->Get("ID")->Text() : std::string("no filter");
}

template <class Map>
NetworkAnswer Enumerate(const Map& all, const std::optional<std::string>& wanted) {
  std::vector<std::string> ids;
  for (const auto& [id, content] : all) {
    if (!wanted || EqualsIgnoreAsciiCase(id, *wanted)) ids.push_back('"' + id + '"');
  }
  return {0, fmt::format("[{}]", fmt::join(ids, ",")), ""};
}

// Two JSON texts that have the same members in the same order.
bool SameJson(const std::string& first, const std::string& second) {
  const auto a = ParseJsonDocument(first, "first");
  const auto b = ParseJsonDocument(second, "second");
  return a && b && a->Json() == b->Json();
}

}  // namespace

template <class Effect>
auto MemoryNetwork::Step(std::string call, std::string_view document, Effect effect) -> decltype(effect()) {
  const std::size_t number = calls++;
  if (number == stop_before) throw PowerFailure();
  if (meanwhile) meanwhile(call);
  log.emplace_back(std::move(call), document);
  auto result = effect();
  if (number == stop_after) throw PowerFailure();
  return result;
}

std::string MemoryNetwork::PoliciesOf(const std::string& id) const {
  const auto found = FindId(endpoints, id);
  return found == endpoints.end() ? "no endpoint" : fmt::format("{}", fmt::join(found->second, "\n"));
}

std::vector<std::string> MemoryNetwork::CallNames() const {
  std::vector<std::string> out;
  for (const Call& call : log) out.push_back(call.first);
  return out;
}

Result<NetworkAnswer> MemoryNetwork::EnumerateEndpoints(std::string_view query) {
  return Step("HcnEnumerateEndpoints", query,
              [&] { return Enumerate(endpoints, ignores_filters ? std::nullopt : FilteredId(query)); });
}

Result<OpenedNetworkObject> MemoryNetwork::Open(std::string_view id, bool is_there, NetworkAnswer missing) {
  if (!is_there) return OpenedNetworkObject{std::move(missing), 0};
  ++open;
  handles_[next_] = std::string(id);
  return OpenedNetworkObject{{}, next_++};
}

Result<OpenedNetworkObject> MemoryNetwork::OpenEndpoint(std::string_view id) {
  return Step("HcnOpenEndpoint", id, [&] { return Open(id, FindId(endpoints, id) != endpoints.end(), NoEndpoint()); });
}

Result<NetworkAnswer> MemoryNetwork::QueryEndpoint(NetworkHandle endpoint, std::string_view query) {
  return Step("HcnQueryEndpointProperties", query, [&]() -> NetworkAnswer {
    const auto found = FindId(endpoints, handles_.at(endpoint));
    if (found == endpoints.end()) return NoEndpoint();
    return {
        0,
        fmt::format(R"({{"ID":"{}","Name":"pod","HostComputeNetwork":"0","Flags":{},"Policies":[{}],"MacAddress":"0)"
                    R"(0-15","SchemaVersion":{{"Major":2,"Minor":0}}}})",
                    found->first, remote.contains(found->first) ? 1 : 0, fmt::join(found->second, ",")),
        ""};
  });
}

NetworkAnswer MemoryNetwork::Modify(const std::string& id, std::string_view request) {
  const auto found = FindId(endpoints, id);
  if (found == endpoints.end()) return NoEndpoint();
  const Result<JsonNode> root = ParseJsonDocument(request, "request");
  if (!root || *root->Get("ResourceType")->Text() != "Policy") return BadPolicy();
  const std::string kind = *root->Get("RequestType")->Text();
  if (const auto refusal = refused.find(kind); refusal != refused.end()) return refusal->second;
  const auto policies = root->Get("Settings")->Find("Policies");
  if (!policies || !*policies) return BadPolicy();
  if (kind == without_effect) return {};
  const std::vector<JsonNode> items = *(*policies)->Items();
  std::vector<std::string> after = found->second;
  for (const JsonNode& item : items) {
    const std::string policy = item.Json();
    if (kind == "Add") {
      if (after.size() < most_policies) after.push_back(policy);
      continue;
    }
    const auto old = std::ranges::find_if(after, [&](const std::string& one) { return SameJson(one, policy); });
    if (old == after.end()) return Refused(0x803B0008U, "The policy was not found.");
    after.erase(old);
  }
  found->second = std::move(after);
  return {};
}

Result<NetworkAnswer> MemoryNetwork::ModifyEndpoint(NetworkHandle endpoint, std::string_view request) {
  return Step("HcnModifyEndpoint", request, [&] { return Modify(handles_.at(endpoint), request); });
}

void MemoryNetwork::CloseEndpoint(NetworkHandle endpoint) {
  log.emplace_back("HcnCloseEndpoint", "");
  open -= handles_.erase(endpoint);
}

Result<NetworkAnswer> MemoryNetwork::EnumerateNamespaces(std::string_view query) {
  return Step("HcnEnumerateNamespaces", query,
              [&] { return Enumerate(namespaces, ignores_filters ? std::nullopt : FilteredId(query)); });
}

Result<OpenedNetworkObject> MemoryNetwork::OpenNamespace(std::string_view id) {
  return Step("HcnOpenNamespace", id,
              [&] { return Open(id, FindId(namespaces, id) != namespaces.end(), NoNamespace()); });
}

Result<NetworkAnswer> MemoryNetwork::QueryNamespace(NetworkHandle name_space, std::string_view query) {
  return Step("HcnQueryNamespaceProperties", query, [&]() -> NetworkAnswer {
    const auto found = FindId(namespaces, handles_.at(name_space));
    if (found == namespaces.end()) return NoNamespace();
    std::string resources = R"({"Type":"Container","Data":{"ID":"ccaae3aba155"}})";
    for (const std::string& id : found->second) {
      resources += fmt::format(R"(,{{"Type":"Endpoint","Data":{{"ID":"{}"}}}})", id);
    }
    return {0,
            fmt::format(R"({{"ID":"{}","NamespaceId":2,"Type":"{}","Resources":[{}],"SchemaVersion":{{"Major":2,"Min)"
                        R"(or":0}}}})",
                        found->first, found->first == namespace_of_node ? "HostDefault" : "Host", resources),
            ""};
  });
}

void MemoryNetwork::CloseNamespace(NetworkHandle name_space) {
  log.emplace_back("HcnCloseNamespace", "");
  open -= handles_.erase(name_space);
}

Result<NetworkAnswer> MemoryNetwork::Version() {
  return Step("HNSCall", "GET /globals/version", [&] { return NetworkAnswer{0, version, ""}; });
}

}  // namespace prov::testing_support
