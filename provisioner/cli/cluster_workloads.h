// The objects of a cluster that create pods: its Deployments, DaemonSets, StatefulSets and CronJobs. The RuntimeClasses
// that they may name come first.
#pragma once

#include <functional>
#include <string>

#include "provisioner/cli/command.h"

namespace prov::cli {

// Reads the lists in pages and passes each page to `take`, as JSON, with its place for messages. `cluster`: its source
// is a kube:// URI. Skips kinds that the cluster does not know, and RuntimeClasses that it does not give. Errors: those
// of source::KubeClient::ListPages and of `take`.
Result<void> ReadWorkloads(machine::Host& host, const source::SourceSpec& cluster,
                           const std::function<Result<void>(std::string page, const std::string& where)>& take);

}  // namespace prov::cli
