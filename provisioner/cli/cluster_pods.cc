#include "provisioner/cli/cluster_pods.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "provisioner/egressip/label_selector.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_client.h"
#include "provisioner/source/kube_discovery.h"

namespace prov::cli {
namespace {

using source::KubeClient;
using source::KubeDetail;
using source::KubeObject;
using source::ObjectView;

constexpr std::string_view kPage = "limit=500";
constexpr std::string_view kPageOfWorkloads = "limit=100";

struct WorkloadKind {
  std::string_view group, resource;
  bool is_needed = true;
};
// RuntimeClasses say more about pods. Without them, the reader of the pods says what is missing.
constexpr std::array<WorkloadKind, 5> kWorkloadKinds = {{{"node.k8s.io", "runtimeclasses", false},
                                                         {"apps", "deployments"},
                                                         {"apps", "daemonsets"},
                                                         {"apps", "statefulsets"},
                                                         {"batch", "cronjobs"}}};

KubeObject InGroup(std::string_view group, std::string_view resource, std::string_view name = {}) {
  return {.group = std::string(group), .resource = std::string(resource), .name = std::string(name)};
}

// The object; nullopt: it is not there.
Result<std::optional<publish::Object>> GetIfThere(KubeClient& client, const KubeObject& object) {
  auto text = client.Get(object);
  if (!text && text.error().code == Code::kNotFound) return std::nullopt;
  if (!text) return std::unexpected(std::move(text).error());
  return PROV_TRY(publish::ReadAnyObject(*std::move(text), object.Path()));
}

// The part of a binding that says for which pods it is.
struct Binding {
  publish::PodParamsPlace params_place;
  egressip::LabelSelector namespaces;
};

Result<Binding> ReadBinding(const publish::Object& object) {
  Binding out;
  const auto spec = PROV_TRY(publish::ViewOf(object).Object("spec"));
  const auto params = spec ? PROV_TRY(spec->Object("paramRef")) : std::nullopt;
  if (params) {
    out.params_place.name_space = PROV_TRY(params->TextOr("namespace", ""));
    out.params_place.name = PROV_TRY(params->TextOr("name", ""));
  }
  const auto matches = spec ? PROV_TRY(spec->Object("matchResources")) : std::nullopt;
  const auto selector = matches ? PROV_TRY(matches->Object("namespaceSelector")) : std::nullopt;
  if (selector) out.namespaces = PROV_TRY(egressip::LabelSelector::Read(*selector));
  return out;
}

Result<void> ReadParams(KubeClient& client, ClusterPodPolicy& out) {
  const auto object =
      PROV_TRY(GetIfThere(client, source::ConfigMapObject(out.params_place.name_space, out.params_place.name)));
  const auto data = object ? PROV_TRY(publish::ViewOf(*object).Object("data")) : std::nullopt;
  if (!data) return {};
  publish::PodParams params;
  for (const std::string_view key : {publish::kPodParamsDigest, publish::kTrustConfigMap, publish::kTrustKey})
    if (const auto text = PROV_TRY(data->Text(key))) params.emplace(key, *text);
  const auto digest = params.find(publish::kPodParamsDigest);
  if (digest != params.end()) out.digest = digest->second;
  out.trust = PROV_TRY(publish::PodTrustOf(params, object->where));
  return {};
}

Result<void> ReadNamespaces(KubeClient& client, const egressip::LabelSelector& selector, ClusterPodPolicy& out) {
  const KubeObject namespaces = InGroup("", "namespaces");
  return client.ListPages(namespaces, std::string(kPage), KubeDetail::kMetadata, [&](std::string page) -> Result<void> {
    const publish::Object list = PROV_TRY(publish::ReadAnyObject(std::move(page), namespaces.Path()));
    return source::VisitValues(*list.document, [&](const source::DocumentValue& one) -> Result<void> {
      const ObjectView object = PROV_TRY(ObjectView::Of(*one.value, one.path));
      const auto metadata = PROV_TRY(object.Object("metadata"));
      if (!metadata) return {};
      const std::string_view name = PROV_TRY(metadata->TextOr("name", ""));
      if (!publish::IsPlatformNamespace(name) && selector.Matches(PROV_TRY(egressip::ReadLabels(*metadata))))
        out.namespaces.emplace(name);
      return {};
    });
  });
}

}  // namespace

Result<void> ReadWorkloads(machine::Host& host, const source::SourceSpec& cluster,
                           const std::function<Result<void>(std::string page, const std::string& where)>& take) {
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(cluster));
  KubeClient client(access, {host.http(), host.clock()});
  for (const WorkloadKind& kind : kWorkloadKinds) {
    const KubeObject objects = InGroup(kind.group, kind.resource);
    bool known = false;
    const Result<void> read =
        client.ListPages(objects, std::string(kPageOfWorkloads), KubeDetail::kWhole, [&](std::string page) {
          known = true;
          return take(std::move(page), objects.Path());
        });
    if (!read && kind.is_needed && (known || read.error().code != Code::kNotFound)) return read;
  }
  return {};
}

Result<std::optional<ClusterPodPolicy>> ReadPodPolicy(machine::Host& host, const source::SourceSpec& cluster) {
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(cluster));
  KubeClient client(access, {host.http(), host.clock()});
  const auto object = PROV_TRY(
      GetIfThere(client, InGroup(source::kAdmissionGroup, "mutatingadmissionpolicybindings", publish::kPodPolicyName)));
  if (!object) return std::nullopt;
  Binding binding = PROV_TRY(ReadBinding(*object));
  ClusterPodPolicy out{.params_place = std::move(binding.params_place), .digest = {}, .trust = {}, .namespaces = {}};
  PROV_TRY(ReadParams(client, out));
  PROV_TRY(ReadNamespaces(client, binding.namespaces, out));
  return out;
}

Result<bool> KnowsPodPolicies(machine::Host& host, const source::SourceSpec& cluster) {
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(cluster));
  KubeClient client(access, {host.http(), host.clock()});
  return source::Serves(client, source::kAdmissionGroup, source::kMutatingPolicies);
}

Result<std::set<std::string, std::less<>>> NamespacesWith(machine::Host& host, const source::SourceSpec& cluster,
                                                          const publish::PodTrust& trust) {
  constexpr int kBundlesInPage = 20;  // each may have a mebibyte
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(cluster));
  KubeClient client(access, {host.http(), host.clock()});
  const KubeObject maps = InGroup("", "configmaps");
  std::set<std::string, std::less<>> out;
  PROV_TRY(client.ListPages(
      maps, fmt::format("fieldSelector=metadata.name%3D{}&limit={}", trust.config_map, kBundlesInPage),
      KubeDetail::kWhole, [&](std::string page) -> Result<void> {
        const publish::Object list = PROV_TRY(publish::ReadAnyObject(std::move(page), maps.Path()));
        return source::VisitValues(*list.document, [&](const source::DocumentValue& one) -> Result<void> {
          const ObjectView object = PROV_TRY(ObjectView::Of(*one.value, one.path));
          const auto metadata = PROV_TRY(object.Object("metadata"));
          const auto data = PROV_TRY(object.Object("data")), bytes = PROV_TRY(object.Object("binaryData"));
          const bool has_key = (data && data->Has(trust.key)) || (bytes && bytes->Has(trust.key));
          if (metadata && PROV_TRY(metadata->TextOr("name", "")) == trust.config_map && has_key)
            out.emplace(PROV_TRY(metadata->TextOr("namespace", "")));
          return {};
        });
      }));
  return out;
}

Result<void> ReadPodRuns(machine::Host& host, const source::SourceSpec& cluster, publish::PodRuns& runs) {
  constexpr std::array<std::array<std::string_view, 3>, 2> kOwners = {
      {{"apps", "replicasets", "ReplicaSet"}, {"batch", "jobs", "Job"}}};
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(cluster));
  KubeClient client(access, {host.http(), host.clock()});
  const auto read = [&](const KubeObject& objects, KubeDetail detail, const auto& take) -> Result<void> {
    return client.ListPages(objects, std::string(kPage), detail, [&](std::string page) -> Result<void> {
      return take(PROV_TRY(publish::ReadAnyObject(std::move(page), objects.Path())));
    });
  };
  for (const auto& [group, resource, kind] : kOwners) {
    PROV_TRY(read(InGroup(group, resource), KubeDetail::kMetadata,
                  [&](const publish::Object& page) { return runs.AddOwners(page, group, kind); }));
  }
  return read(InGroup("", "pods"), KubeDetail::kWhole, [&](const publish::Object& page) { return runs.AddPods(page); });
}

}  // namespace prov::cli
