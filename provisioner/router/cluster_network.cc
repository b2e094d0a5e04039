#include "provisioner/router/cluster_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/source/object_view.h"

namespace prov::router {
namespace {

using source::IsOfGroup;
using source::ObjectView;

// Public clouds, in which a machine's port has no second MAC address, which macvlan needs.
constexpr std::array<std::string_view, 6> kClouds = {"AWS", "Azure", "GCP", "IBMCloud", "AlibabaCloud", "PowerVS"};

// A text below members; "" if one is absent.
Result<std::string> TextBelow(ObjectView object, std::initializer_list<std::string_view> members,
                              std::string_view name) {
  for (const std::string_view member : members) {
    auto next = PROV_TRY(object.Object(member));
    if (!next) return std::string();
    object = *std::move(next);
  }
  return std::string(PROV_TRY(object.TextOr(name, "")));
}

Result<std::string> PluginOf(const ObjectView& object) {
  if (IsOfGroup(object.value(), "operator.openshift.io")) {
    std::string type = PROV_TRY(TextBelow(object, {"spec", "defaultNetwork"}, "type"));
    if (!type.empty()) return type;
  }
  if (!IsOfGroup(object.value(), "config.openshift.io")) return std::string();
  std::string type = PROV_TRY(TextBelow(object, {"status"}, "networkType"));
  if (type.empty()) type = PROV_TRY(TextBelow(object, {"spec"}, "networkType"));
  return type;
}

Result<std::string> PlatformOf(const ObjectView& object) {
  std::string type = PROV_TRY(TextBelow(object, {"status", "platformStatus"}, "type"));
  if (type.empty()) type = PROV_TRY(TextBelow(object, {"status"}, "platform"));
  return type;
}

}  // namespace

bool ClusterNetwork::IgnoresMacvlan() const {
  return !plugin.empty() && !EqualsIgnoreAsciiCase(plugin, "OpenShiftSDN");
}

Result<void> AddClusterObject(const RouterObject& object, ClusterNetwork& out) {
  std::string plugin;
  if (object.kind == "Network") plugin = PROV_TRY(PluginOf(object.object));
  if (object.kind == "EgressIP" && IsOfGroup(object.object.value(), "k8s.ovn.org")) plugin = "OVNKubernetes";
  if (out.plugin.empty() && !plugin.empty()) {
    out.plugin = std::move(plugin);
    out.plugin_where = object.At(object.object.path());
  }
  if (object.kind != "Infrastructure" || !IsOfGroup(object.object.value(), "config.openshift.io")) return {};
  out.platform = PROV_TRY(PlatformOf(object.object));
  out.platform_where = object.At(object.object.path());
  return {};
}

void ReviewNetwork(const RouterPolicy& policy, const ClusterNetwork& network, Findings& out) {
  if (!policy.is_cni && !policy.source) return;  // it leaves by the pod's own network
  if (!policy.is_cni && network.IgnoresMacvlan()) {
    AddError(out, "router-network",
             fmt::format("the cluster's network is {} ({}), to which the annotation {} means nothing, so the router "
                         "gets no macvlan0 and does not start; use a proxy with an EgressIP, or an EgressRouter",
                         Shorten(network.plugin), network.plugin_where, kMacvlanAnnotation),
             policy.where);
  }
  const auto cloud =
      std::ranges::find_if(kClouds, [&](std::string_view one) { return EqualsIgnoreAsciiCase(one, network.platform); });
  if (cloud == kClouds.end()) return;
  AddError(out, "router-network",
           fmt::format("the cluster is on {} ({}), where macvlan reaches nothing, so the router has no address of its "
                       "own; use a proxy with an EgressIP",
                       *cloud, network.platform_where),
           policy.where);
}

}  // namespace prov::router
