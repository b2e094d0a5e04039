// What makes pods in a cluster: its Deployments, DaemonSets, StatefulSets and CronJobs.
#pragma once

#include <functional>
#include <string>

#include "provisioner/cli/command.h"

namespace prov::cli {

// Hands each page of each list on, as JSON, with the place that it is from. `cluster`: a kube:// URI as its source. A
// kind that the cluster does not know is passed over. Errors: those of source::KubeClient::List and of `take`;
// too-large (a list that does not end).
Result<void> ReadWorkloads(machine::Host& host, const SourceOptions& cluster,
                           const std::function<Result<void>(std::string page, const std::string& where)>& take);

}  // namespace prov::cli
