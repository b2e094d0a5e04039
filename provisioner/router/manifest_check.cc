#include "provisioner/router/manifest_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/text.h"
#include "provisioner/source/pod_environment_source.h"
#include "provisioner/source/pod_system.h"

namespace prov::router {
namespace {

using source::ObjectView;

class Checker {
 public:
  Checker(const RouterPod& pod, const ObjectView& holder, const ObjectView& spec, Findings& out)
      : pod_(pod), holder_(holder), spec_(spec), out_(out) {}

  Result<void> Check() {
    const bool macvlan = !pod_.network.IgnoresMacvlan();
    PROV_TRY(macvlan ? Annotation() : UselessAnnotation());
    if (macvlan) Privilege();
    ServiceAccount();
    if (macvlan) PROV_TRY(Replicas());
    PROV_TRY(Node());
    if (macvlan || pod_.kind == RouterKind::kRedirect) Source();
    for (const RouterContainer& container : pod_.containers) {
      Gateway(container);
      Mode(container);
    }
    return {};
  }

 private:
  std::string At(std::string_view path) const { return pod_.object.At(path); }

  // The annotation's value in the metadata of `holder`; null: none.
  static Result<const JsonValue*> AnnotationIn(const ObjectView& holder) {
    const auto metadata = PROV_TRY(holder.Object("metadata"));
    const auto annotations = metadata ? PROV_TRY(metadata->Object("annotations")) : std::nullopt;
    return annotations ? annotations->Find(kMacvlanAnnotation) : nullptr;
  }

  Result<void> Annotation() {
    const JsonValue* value = PROV_TRY(AnnotationIn(holder_));
    const std::string place = At(holder_.At("metadata"));
    if (value == nullptr) {
      const bool outside =
          holder_.path() != pod_.object.object.path() && PROV_TRY(AnnotationIn(pod_.object.object)) != nullptr;
      AddError(out_, "router-annotation",
               outside ? fmt::format("{} stands in the metadata of the {}, and the pod gets that of the template",
                                     kMacvlanAnnotation, pod_.object.kind)
                       : fmt::format("{} is missing, without which the pod has no macvlan0", kMacvlanAnnotation),
               place);
    } else if (!value->IsString()) {
      AddError(out_, "router-annotation",
               fmt::format(
                   "the value of {} is not a string, and the API server takes strings only: write \"true\" in quotes",
                   kMacvlanAnnotation),
               place);
    } else if (const std::string_view text = JsonTextOf(*value); text.empty() || text == "false") {
      AddError(out_, "router-annotation",
               fmt::format("{} is \"{}\", so the pod has no macvlan0", kMacvlanAnnotation, text), place);
    } else if (text != "true") {
      AddWarning(out_, "router-annotation",
                 fmt::format("{} is \"{}\", so each node that the pod may be put on needs an interface of this name",
                             kMacvlanAnnotation, Shorten(text)),
                 place);
    }
    return {};
  }

  // ReviewNetwork() reports a pod with EGRESS_SOURCE.
  Result<void> UselessAnnotation() {
    const bool source = std::ranges::any_of(pod_.containers, [](const RouterContainer& container) {
      return container.variables.contains("EGRESS_SOURCE");
    });
    if (source || PROV_TRY(AnnotationIn(holder_)) == nullptr) return {};
    AddWarning(out_, "router-network",
               fmt::format("{} means nothing to the cluster's network, {}: the pod leaves as others of its namespace",
                           kMacvlanAnnotation, Shorten(pod_.network.plugin)),
               At(holder_.At("metadata")));
    return {};
  }

  void Privilege() {
    if (pod_.containers.empty()) return;
    if (std::ranges::none_of(pod_.containers, &RouterContainer::privileged)) {
      AddError(out_, "router-privilege",
               "no container is privileged, and OpenShift refuses such a pod with a second interface",
               At(spec_.path()));
      return;
    }
    for (const RouterContainer& container : pod_.containers) {
      if (container.privileged || !container.variables.contains("EGRESS_SOURCE")) continue;
      AddError(out_, "router-privilege",
               fmt::format("the container \"{}\" sets up the network and is not privileged", Shorten(container.name)),
               At(container.path));
    }
  }

  void ServiceAccount() {
    for (const RouterContainer& container : pod_.containers) {
      if (!container.has_service_account) continue;
      AddError(
          out_, "router-service-account",
          fmt::format("the service account stands in the container \"{}\", where the API server refuses or drops it; "
                      "write it to the spec of the pod",
                      Shorten(container.name)),
          At(container.path));
    }
  }

  Result<void> Replicas() {
    if (pod_.object.kind == "DaemonSet") {
      AddError(out_, "router-replicas", "a DaemonSet makes a pod on each node, and all would have the same address",
               At(pod_.object.object.path()));
      return {};
    }
    const auto spec = PROV_TRY(pod_.object.object.Object("spec"));
    if (!spec || pod_.object.kind == "Pod") return {};
    const JsonValue* replicas = spec->Find("replicas");
    if (replicas != nullptr && replicas->IsInt64() && replicas->GetInt64() > 1) {
      AddError(out_, "router-replicas", fmt::format("{} pods would have the same source address", replicas->GetInt64()),
               At(spec->At("replicas")));
    } else if (pod_.object.kind == "Deployment") {
      const auto strategy = PROV_TRY(spec->Object("strategy"));
      const std::string type(strategy ? PROV_TRY(strategy->TextOr("type", "RollingUpdate")) : "RollingUpdate");
      if (type == "Recreate") return {};
      AddWarning(
          out_, "router-replicas",
          "an update of this Deployment starts the new pod before the old one ends, and both have the same source "
          "address meanwhile; write strategy: {type: Recreate}",
          At(strategy ? strategy->path() : spec->path()));
    }
    return {};
  }

  Result<void> Node() {
    const auto systems = PROV_TRY(source::SystemsOf(spec_));
    const auto other = std::ranges::find_if(systems, [](const auto& one) { return one.system != "linux"; });
    if (other != systems.end()) {
      AddError(out_, "router-node",
               fmt::format("{} wants another system than Linux, on which a router can't run", other->by),
               At(spec_.path()));
      return {};
    }
    if (!systems.empty() || !PROV_TRY(spec_.TextOr("nodeName", "")).empty()) return {};
    AddWarning(out_, "router-node",
               fmt::format("the pod may be put on a Windows node, where it can't run: add nodeSelector: {{{}: linux}}",
                           source::kOsLabel),
               At(spec_.path()));
    return {};
  }

  void Source() {
    const bool has = std::ranges::any_of(pod_.containers, [](const RouterContainer& container) {
      return container.variables.contains("EGRESS_SOURCE");
    });
    if (has) return;
    AddError(out_, "router-source",
             pod_.kind == RouterKind::kRedirect
                 ? std::string("EGRESS_SOURCE is missing: the address that the router leaves the cluster with")
                 : fmt::format("no init container sets up the network: one with EGRESS_SOURCE, EGRESS_GATEWAY and "
                               "EGRESS_ROUTER_MODE {}",
                               NameOf(pod_.kind)),
             At(spec_.path()));
  }

  void Gateway(const RouterContainer& container) {
    if (!container.variables.contains("EGRESS_SOURCE") || container.variables.contains("EGRESS_GATEWAY")) return;
    AddError(out_, "router-gateway",
             fmt::format("the container \"{}\" has EGRESS_SOURCE and no EGRESS_GATEWAY, without which it fails",
                         Shorten(container.name)),
             At(container.path));
  }

  void BadMode(const RouterContainer& container, std::string message) {
    AddError(out_, "router-mode", fmt::format("the container \"{}\" {}", Shorten(container.name), message),
             At(container.path));
  }

  // Checks that a container has the variables for its own mode, and not those for another one.
  void Mode(const RouterContainer& container) {
    const std::string_view list = VariableOf(pod_.kind);
    if (pod_.kind != RouterKind::kRedirect && container.init && container.variables.contains(list)) {
      BadMode(container, fmt::format("gets {} and is an init container: the proxy would never end, and the pod never "
                                     "start; give it to a container",
                                     list));
    }
    if (!container.variables.contains("EGRESS_SOURCE")) return;
    const auto found = container.variables.find("EGRESS_ROUTER_MODE");
    const std::string mode = found == container.variables.end() ? "legacy" : found->second.text;
    if (mode == "unit-test") return BadMode(container, "has the mode unit-test, which sets up nothing");
    if (container.init && mode == "legacy") {
      return BadMode(container,
                     "is an init container without EGRESS_ROUTER_MODE, so it never ends and the pod never starts; give "
                     "it the mode init, http-proxy or dns-proxy");
    }
    if (!container.init && mode != "legacy") {
      return BadMode(
          container,
          fmt::format("has the mode {}, with which it ends when the network is set up, and is restarted again "
                      "and again; make it an init container",
                      mode));
    }
    const bool redirects = mode == "legacy" || mode == "init";
    if (redirects && !container.variables.contains("EGRESS_DESTINATION"))
      return BadMode(container, fmt::format("has the mode {} and no EGRESS_DESTINATION, without which it fails", mode));
    if (redirects || mode == NameOf(pod_.kind)) return;
    AddWarning(
        out_, "router-mode",
        fmt::format("the container \"{}\" has the mode {}, and the pod has {}", Shorten(container.name), mode, list),
        At(container.path));
  }

  const RouterPod& pod_;
  const ObjectView& holder_;
  const ObjectView& spec_;
  Findings& out_;
};

}  // namespace

Result<void> CheckManifest(const RouterPod& pod, Findings& out) {
  const auto holder = PROV_TRY(source::PodOf(pod.object.object, pod.object.kind));
  const auto spec = holder ? PROV_TRY(holder->Object("spec")) : std::nullopt;
  if (!spec) return {};
  return Checker(pod, *holder, *spec, out).Check();
}

}  // namespace prov::router
