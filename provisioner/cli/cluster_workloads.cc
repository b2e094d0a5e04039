#include "provisioner/cli/cluster_workloads.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "provisioner/base/json_reader.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_client.h"
#include "provisioner/source/kube_uri.h"

namespace prov::cli {
namespace {

constexpr std::string_view kQuery = "limit=100";
constexpr int kMostPages = 1000;

struct WorkloadKind {
  std::string_view group, resource;
};
constexpr std::array<WorkloadKind, 4> kWorkloadKinds = {
    {{"apps", "deployments"}, {"apps", "daemonsets"}, {"apps", "statefulsets"}, {"batch", "cronjobs"}}};

// The token of the next page; "": this is the last one.
Result<std::string> RestOf(const std::string& page, const std::string& where) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(page, where));
  const auto metadata = PROV_TRY(root.Find("metadata"));
  const auto rest = metadata ? PROV_TRY(metadata->Find("continue")) : std::nullopt;
  return rest ? rest->Text() : std::string();
}

}  // namespace

Result<void> ReadWorkloads(machine::Host& host, const source::SourceSpec& cluster,
                           const std::function<Result<void>(std::string page, const std::string& where)>& take) {
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(cluster));
  source::KubeClient client(access, {host.http(), host.clock()});
  for (const WorkloadKind& kind : kWorkloadKinds) {
    const source::KubeObject objects{
        .group = std::string(kind.group), .resource = std::string(kind.resource), .name_space = {}, .name = {}};
    std::string query(kQuery);
    for (int pages = 0;; ++pages) {
      if (pages == kMostPages)
        return Fail(Code::kTooLarge, fmt::format("the API server's list of {} does not end", kind.resource),
                    objects.Path());
      Result<std::string> page = client.ListWhole(objects, query);
      if (!page && page.error().code == Code::kNotFound) break;
      if (!page) return std::unexpected(page.error());
      const std::string rest = PROV_TRY(RestOf(*page, objects.Path()));
      PROV_TRY(take(*std::move(page), objects.Path()));
      if (rest.empty()) break;
      query = fmt::format("{}&continue={}", kQuery, source::PercentEncode(rest));
    }
  }
  return {};
}

}  // namespace prov::cli
