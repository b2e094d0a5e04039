#include "provisioner/cli/cluster_workloads.h"

#include <array>
#include <utility>

#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_client.h"

namespace prov::cli {
namespace {

constexpr std::string_view kQuery = "limit=100";

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

}  // namespace

Result<void> ReadWorkloads(machine::Host& host, const source::SourceSpec& cluster,
                           const std::function<Result<void>(std::string page, const std::string& where)>& take) {
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(cluster));
  source::KubeClient client(access, {host.http(), host.clock()});
  for (const WorkloadKind& kind : kWorkloadKinds) {
    const source::KubeObject objects{
        .group = std::string(kind.group), .resource = std::string(kind.resource), .name_space = {}, .name = {}};
    bool known = false;
    const Result<void> read =
        client.ListPages(objects, std::string(kQuery), source::KubeDetail::kWhole, [&](std::string page) {
          known = true;
          return take(std::move(page), objects.Path());
        });
    if (!read && kind.is_needed && (known || read.error().code != Code::kNotFound)) return read;
  }
  return {};
}

}  // namespace prov::cli
