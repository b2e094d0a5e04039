#include "provisioner/egressip/egress_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "ignition/yaml.h"
#include "provisioner/base/json.h"
#include "provisioner/base/text.h"
#include "provisioner/source/object_view.h"

namespace prov::egressip {
namespace {

using source::IsOfGroup;
using source::ObjectView;

// The Nodes of a large cluster take some tens of MiB.
constexpr JsonLimits kLimits{.input = 64ULL << 20U, .depth = 64, .values = 4'000'000};
constexpr JsonLimits kAnnotationLimits{.input = 1ULL << 20U, .depth = 16, .values = 10'000};

// Kinds that decide about the traffic of pods, too.
constexpr std::array<std::string_view, 7> kUnreadKinds = {"AdminNetworkPolicy",   "BaselineAdminNetworkPolicy",
                                                          "ClusterNetworkPolicy", "AdminPolicyBasedExternalRoute",
                                                          "EgressNetworkPolicy",  "EgressService",
                                                          "MultiNetworkPolicy"};

constexpr std::string_view kAssignable = "k8s.ovn.org/egress-assignable";
constexpr std::string_view kPrimary = "k8s.ovn.org/node-primary-ifaddr";
constexpr std::string_view kHostCidrs = "k8s.ovn.org/host-cidrs";
constexpr std::string_view kHostAddresses = "k8s.ovn.org/host-addresses";  // its older name
constexpr std::string_view kCloud = "cloud.network.openshift.io/egress-ipconfig";

Result<ObjectView> Metadata(const ObjectView& object) {
  auto metadata = PROV_TRY(object.Object("metadata"));
  if (metadata && !PROV_TRY(metadata->TextOr("name", "")).empty()) return *std::move(metadata);
  return Fail(Code::kInvalidConfig, "the object has no name", object.At("metadata"));
}

Result<std::string> NameOf(const ObjectView& object) {
  const ObjectView metadata = PROV_TRY(Metadata(object));
  return std::string(PROV_TRY(metadata.TextOr("name", "")));
}

Result<std::optional<std::int64_t>> ReadInteger(const ObjectView& object, std::string_view name) {
  const JsonValue* value = object.Find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->IsInt64()) return WrongJsonType(*value, "an integer", object.At(name));
  return value->GetInt64();
}

// Parses the text of an annotation as JSON. The result is valid as long as `keep`.
Result<const JsonValue*> ReadAnnotation(const ObjectView& annotations, std::string_view name,
                                        std::vector<std::unique_ptr<JsonDocument>>& keep) {
  const auto text = PROV_TRY(annotations.Text(name));
  if (!text) return nullptr;
  auto document = ParseJson(std::string(*text), kAnnotationLimits);
  if (!document) {
    return Fail(Code::kInvalidConfig, fmt::format("the annotation is not JSON: {}", document.error().message),
                annotations.At(name));
  }
  keep.push_back(*std::move(document));
  return &keep.back()->root();
}

std::unexpected<Error> RefuseNetwork(std::string_view text, std::string where) {
  return Fail(Code::kInvalidConfig, fmt::format("\"{}\" is not a network such as 10.0.0.7/24", Shorten(text)),
              std::move(where));
}

// {"ipv4":"10.0.128.0/18","ipv6":"…"}
Result<void> AddFamilies(const ObjectView& families, std::vector<IpNetwork>& out) {
  for (const std::string_view family : {"ipv4", "ipv6"}) {
    const std::string_view text = PROV_TRY(families.TextOr(family, ""));
    if (text.empty()) continue;
    const auto network = IpNetwork::Parse(text);
    if (!network) return RefuseNetwork(text, families.At(family));
    out.push_back(*network);
  }
  return {};
}

// Whether the controller takes the network of an interface with this address.
bool IsGlobal(const IpAddress& address) {
  const auto& bytes = address.bytes();
  const bool link_local =
      address.IsIpv4() ? bytes[12] == 169 && bytes[13] == 254 : bytes[0] == 0xFE && (bytes[1] & 0xC0U) == 0x80;
  return !link_local && ReservedKind(address).empty();
}

// Parses ["10.0.0.7/24", …], or addresses without a prefix.
Result<void> AddHostAddresses(const JsonValue& list, const std::string& where, NodeObject& node) {
  if (!node.host_addresses) node.host_addresses.emplace();
  if (list.IsNull()) return {};
  if (!list.IsArray()) return WrongJsonType(list, "an array of addresses", where);
  for (const JsonValue& item : list.GetArray()) {
    if (!item.IsString()) return WrongJsonType(item, "a string", where);
    const std::string_view text = JsonTextOf(item);
    const auto address = IpAddress::Parse(text.substr(0, text.find('/')));
    if (!address) return RefuseNetwork(text, where);
    node.host_addresses->push_back(*address);
    if (text.find('/') == std::string_view::npos) continue;
    const auto network = IpNetwork::Parse(text);
    if (!network) return RefuseNetwork(text, where);
    if (IsGlobal(*address)) node.host_networks.push_back(*network);
  }
  return {};
}

// Reads a cloud's annotation. If it exists, only it counts, and one without an interface is no error.
Result<void> ReadCloudConfig(const JsonValue& list, const std::string& where, NodeObject& node) {
  if (list.IsNull() || (list.IsArray() && list.Empty())) return {};
  if (!list.IsArray()) return WrongJsonType(list, "an array with an interface", where);
  const ObjectView interface = PROV_TRY(ObjectView::Of(list[0], where + "[0]"));  // the plugins read one, too
  if (const auto families = PROV_TRY(interface.Object("ifaddr"))) PROV_TRY(AddFamilies(*families, *node.networks));
  const auto capacity = PROV_TRY(interface.Object("capacity"));
  if (!capacity) return {};
  node.capacity = PROV_TRY(ReadInteger(*capacity, "ip"));
  node.capacity_ipv4 = PROV_TRY(ReadInteger(*capacity, "ipv4"));
  node.capacity_ipv6 = PROV_TRY(ReadInteger(*capacity, "ipv6"));
  return {};
}

Result<void> ReadAnnotations(const ObjectView& annotations, NodeObject& node) {
  std::vector<std::unique_ptr<JsonDocument>> keep;
  for (const std::string_view name : {kHostCidrs, kHostAddresses}) {
    if (const JsonValue* list = PROV_TRY(ReadAnnotation(annotations, name, keep)))
      PROV_TRY(AddHostAddresses(*list, annotations.At(name), node));
  }
  if (const JsonValue* primary = PROV_TRY(ReadAnnotation(annotations, kPrimary, keep))) {
    if (!node.networks) node.networks.emplace();
    PROV_TRY(AddFamilies(PROV_TRY(ObjectView::Of(*primary, annotations.At(kPrimary))), *node.networks));
  }
  const auto cloud = PROV_TRY(annotations.Text(kCloud));
  if (!cloud) return {};
  node.cloud = true;
  node.networks.emplace();
  if (TrimBlanks(*cloud).empty()) return {};
  return ReadCloudConfig(*PROV_TRY(ReadAnnotation(annotations, kCloud, keep)), annotations.At(kCloud), node);
}

Result<void> ReadNodeStatus(const ObjectView& status, NodeObject& node) {
  const std::vector<ObjectView> addresses = PROV_TRY(status.Objects("addresses"));
  for (const ObjectView& one : addresses) {
    const auto address = IpAddress::Parse(PROV_TRY(one.TextOr("address", "")));
    if (!address) continue;  // a host name
    node.addresses.push_back(*address);
    if (node.address.empty() && PROV_TRY(one.TextOr("type", "")) == "InternalIP") node.address = address->ToString();
  }
  const std::vector<ObjectView> conditions = PROV_TRY(status.Objects("conditions"));
  for (const ObjectView& one : conditions) {
    if (PROV_TRY(one.TextOr("type", "")) == "Ready") node.ready = PROV_TRY(one.TextOr("status", "")) == "True";
  }
  const auto info = PROV_TRY(status.Object("nodeInfo"));
  if (info && PROV_TRY(info->TextOr("operatingSystem", "")) == "windows") node.windows = true;
  return {};
}

Result<NodeObject> ReadNode(const ObjectView& object) {
  NodeObject out;
  const ObjectView metadata = PROV_TRY(Metadata(object));
  out.name = PROV_TRY(NameOf(object));
  const Labels labels = PROV_TRY(ReadLabels(metadata));
  for (const std::string_view name : {"kubernetes.io/os", "beta.kubernetes.io/os"}) {
    const auto label = labels.find(name);
    if (label != labels.end() && label->second == "windows") out.windows = true;
  }
  out.assignable = labels.contains(kAssignable);
  if (const auto status = PROV_TRY(object.Object("status"))) PROV_TRY(ReadNodeStatus(*status, out));
  if (const auto annotations = PROV_TRY(metadata.Object("annotations"))) PROV_TRY(ReadAnnotations(*annotations, out));
  return out;
}

Result<EgressIpObject> ReadEgressIp(const ObjectView& object) {
  EgressIpObject out;
  out.name = PROV_TRY(NameOf(object));
  const auto spec = PROV_TRY(object.Object("spec"));
  if (!spec) return Fail(Code::kInvalidConfig, "the EgressIP has no spec", object.At("spec"));
  out.egress_ips = PROV_TRY(spec->TextsOrNone("egressIPs"));
  const auto namespaces = PROV_TRY(spec->Object("namespaceSelector"));
  if (!namespaces) {
    return Fail(Code::kInvalidConfig, "the EgressIP has no namespaceSelector, which the API asks for",
                spec->At("namespaceSelector"));
  }
  out.namespaces = PROV_TRY(LabelSelector::Read(*namespaces));
  if (const auto pods = PROV_TRY(spec->Object("podSelector"))) {
    LabelSelector selector = PROV_TRY(LabelSelector::Read(*pods));
    if (!selector.IsEmpty()) out.pods = std::move(selector);
  }
  const auto status = PROV_TRY(object.Object("status"));
  if (!status) return out;
  const std::vector<ObjectView> items = PROV_TRY(status->Objects("items"));
  for (const ObjectView& item : items) {
    out.assigned.push_back(
        {std::string(PROV_TRY(item.TextOr("egressIP", ""))), std::string(PROV_TRY(item.TextOr("node", "")))});
  }
  return out;
}

Result<NetNamespace> ReadNetNamespace(const ObjectView& object) {
  return NetNamespace{
      PROV_TRY(NameOf(object)), PROV_TRY(ReadInteger(object, "netid")), PROV_TRY(object.TextsOrNone("egressIPs")), {}};
}

Result<HostSubnet> ReadHostSubnet(const ObjectView& object) {
  return HostSubnet{PROV_TRY(NameOf(object)),
                    std::string(PROV_TRY(object.TextOr("hostIP", ""))),
                    PROV_TRY(object.TextsOrNone("egressIPs")),
                    PROV_TRY(object.TextsOrNone("egressCIDRs")),
                    {}};
}

Result<NamespaceObject> ReadNamespace(const ObjectView& object) {
  NamespaceObject out{PROV_TRY(NameOf(object)), PROV_TRY(ReadLabels(PROV_TRY(Metadata(object)))), {}};
  out.labels.emplace("kubernetes.io/metadata.name", out.name);  // set by the API server
  return out;
}

class Adder {
 public:
  Adder(std::string file, EgressObjects& out) : file_(std::move(file)), out_(out) {}

  Result<void> Add(const source::DocumentValue& one) {
    const auto& [value, kind, path] = one;
    if (!value->IsObject())
      return Fail(Code::kKind, fmt::format("holds {}, not an object of a cluster", JsonTypeName(*value)), path);
    if (kind == "NetNamespace" && IsOfGroup(*value, "network.openshift.io"))
      return Put(one, ReadNetNamespace, out_.net_namespaces);
    if (kind == "HostSubnet" && IsOfGroup(*value, "network.openshift.io"))
      return Put(one, ReadHostSubnet, out_.host_subnets);
    if (kind == "EgressIP" && IsOfGroup(*value, "k8s.ovn.org")) return Put(one, ReadEgressIp, out_.egress_ips);
    if (kind == "Node" && IsOfGroup(*value, "")) return Put(one, ReadNode, out_.nodes);
    if (kind == "Namespace" && IsOfGroup(*value, "")) return Put(one, ReadNamespace, out_.namespaces);
    if (kind == "EgressFirewall" && IsOfGroup(*value, "k8s.ovn.org"))
      return Put(one, ReadEgressFirewall, out_.firewalls);
    if (kind == "NetworkPolicy" && IsOfGroup(*value, "networking.k8s.io"))
      return Put(one, ReadNetworkPolicy, out_.network_policies);
    if (std::ranges::find(kUnreadKinds, kind) != kUnreadKinds.end())
      out_.unread.push_back({std::string(kind), fmt::format("{}: {}", file_, path)});
    ++out_.others;
    return {};
  }

 private:
  template <class T>
  Result<void> Put(const source::DocumentValue& one, Result<T> (*read)(const ObjectView&), std::vector<T>& to) {
    const auto& [value, kind, path] = one;
    T object = PROV_TRY(read(PROV_TRY(ObjectView::Of(*value, path))));
    object.where = fmt::format("{}: {}", file_, path);
    std::string space;
    if constexpr (requires { object.name_space; }) space = object.name_space + "/";
    const auto [seen, added] = out_.seen.emplace(fmt::format("{} {}{}", kind, space, object.name), object.where);
    if (!added) {
      return Fail(Code::kInvalidConfig,
                  fmt::format("the {} \"{}\" is given twice, and which one counts is not known: it is also at {}", kind,
                              Shorten(object.name), seen->second),
                  path);
    }
    to.push_back(std::move(object));
    return {};
  }

  std::string file_;
  EgressObjects& out_;
};

}  // namespace

Result<void> AddEgressObjects(std::string bytes, const std::string& where, EgressObjects& out) {
  auto done = [&]() -> Result<void> {
    const auto document = PROV_TRY(ignition::ParseJsonOrYaml(std::move(bytes), kLimits, ignition::Documents::kSeveral));
    Adder adder(where, out);
    return source::VisitValues(*document, [&](const source::DocumentValue& one) { return adder.Add(one); });
  }();
  if (!done) return FailIn(where, std::move(done).error());
  return {};
}

}  // namespace prov::egressip
