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
using machine::NetworkObject;
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
NetworkAnswer ListIds(const Map& all, const std::optional<std::string>& wanted) {
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
auto MemoryNetwork::Answer(std::string call, std::string_view document, Effect effect) -> decltype(effect()) {
  return Step([&] {
    if (meanwhile) meanwhile(call);
    log.emplace_back(std::move(call), document);
    return effect();
  });
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

Result<NetworkAnswer> MemoryNetwork::Enumerate(NetworkObject kind, std::string_view query) {
  const bool is_endpoint = kind == NetworkObject::kEndpoint;
  return Answer(is_endpoint ? "HcnEnumerateEndpoints" : "HcnEnumerateNamespaces", query, [&] {
    const auto filter = ignores_filters ? std::nullopt : FilteredId(query);
    return ListIds(is_endpoint ? endpoints : namespaces, filter);
  });
}

Result<OpenedNetworkObject> MemoryNetwork::Open(NetworkObject kind, std::string_view id) {
  const bool is_endpoint = kind == NetworkObject::kEndpoint;
  return Answer(is_endpoint ? "HcnOpenEndpoint" : "HcnOpenNamespace", id, [&]() -> OpenedNetworkObject {
    const auto& objects = is_endpoint ? endpoints : namespaces;
    if (FindId(objects, id) == objects.end()) return {is_endpoint ? NoEndpoint() : NoNamespace(), 0};
    ++open;
    handles_[next_] = std::string(id);
    return {{}, next_++};
  });
}

Result<NetworkAnswer> MemoryNetwork::Query(NetworkObject kind, NetworkHandle object, std::string_view query) {
  const bool is_endpoint = kind == NetworkObject::kEndpoint;
  return Answer(is_endpoint ? "HcnQueryEndpointProperties" : "HcnQueryNamespaceProperties", query, [&] {
    return is_endpoint ? EndpointProperties(handles_.at(object)) : NamespaceProperties(handles_.at(object));
  });
}

void MemoryNetwork::Close(NetworkObject kind, NetworkHandle object) {
  log.emplace_back(kind == NetworkObject::kEndpoint ? "HcnCloseEndpoint" : "HcnCloseNamespace", "");
  open -= handles_.erase(object);
}

NetworkAnswer MemoryNetwork::EndpointProperties(const std::string& id) const {
  const auto found = FindId(endpoints, id);
  if (found == endpoints.end()) return NoEndpoint();
  return {0,
          fmt::format(R"({{"ID":"{}","Name":"pod","HostComputeNetwork":"0","Flags":{},"Policies":[{}],"MacAddress":"0)"
                      R"(0-15","SchemaVersion":{{"Major":2,"Minor":0}}}})",
                      found->first, remote.contains(found->first) ? 1 : 0, fmt::join(found->second, ",")),
          ""};
}

NetworkAnswer MemoryNetwork::NamespaceProperties(const std::string& id) const {
  const auto found = FindId(namespaces, id);
  if (found == namespaces.end()) return NoNamespace();
  std::string resources = R"({"Type":"Container","Data":{"ID":"ccaae3aba155"}})";
  for (const std::string& endpoint : found->second) {
    resources += fmt::format(R"(,{{"Type":"Endpoint","Data":{{"ID":"{}"}}}})", endpoint);
  }
  return {0,
          fmt::format(R"({{"ID":"{}","NamespaceId":2,"Type":"{}","Resources":[{}],"SchemaVersion":{{"Major":2,"Min)"
                      R"(or":0}}}})",
                      found->first, found->first == namespace_of_node ? "HostDefault" : "Host", resources),
          ""};
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
  return Answer("HcnModifyEndpoint", request, [&] { return Modify(handles_.at(endpoint), request); });
}

Result<NetworkAnswer> MemoryNetwork::Version() {
  return Answer("HNSCall", "GET /globals/version", [&] { return NetworkAnswer{0, version, ""}; });
}

}  // namespace prov::testing_support
