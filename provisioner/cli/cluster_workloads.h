// The objects of a cluster that create pods: its Deployments, DaemonSets, StatefulSets and CronJobs.
#pragma once

#include <functional>
#include <string>

#include "provisioner/cli/command.h"

namespace prov::cli {

// Reads the lists in pages and passes each page to `take`, as JSON, with its place for messages. `cluster`: its source
// is a kube:// URI. Skips kinds that the cluster does not know. Errors: those of source::KubeClient::ListPages
// and of `take`.
Result<void> ReadWorkloads(machine::Host& host, const source::SourceSpec& cluster,
                           const std::function<Result<void>(std::string page, const std::string& where)>& take);

}  // namespace prov::cli
