// The objects in a cluster that make pods: its Deployments, DaemonSets, StatefulSets and CronJobs.
#pragma once

#include <functional>
#include <string>

#include "provisioner/cli/command.h"

namespace prov::cli {

// Passes each page of each list to `take`, as JSON, with the place that it comes from. `cluster`: a kube:// URI as its
// source. A kind that the cluster does not know is skipped. Errors: those of source::KubeClient::List and of `take`;
// too-large (a list that does not end).
Result<void> ReadWorkloads(machine::Host& host, const source::SourceSpec& cluster,
                           const std::function<Result<void>(std::string page, const std::string& where)>& take);

}  // namespace prov::cli
