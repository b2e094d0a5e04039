// Finds the workloads whose running pods were made with other parameters of the admission policy than the present ones
// (pod_params.h): what a container has does not change while it runs.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/publish/pod_env.h"

namespace prov::publish {

// What makes pods again when they are gone; a bare pod is its own.
struct Workload {
  std::string name_space;
  std::string kind;
  std::string name;
  std::string group;  // of its API, such as apps; two groups may have a kind of one name

  auto operator<=>(const Workload&) const = default;
};

struct WorkloadPods {
  Workload workload;
  std::size_t running = 0;    // pods that have not ended
  std::size_t outdated = 0;   // of these, those that were made before the change
  std::size_t untrusted = 0;  // those with a container that can't get the bundle (PodContainer::untrusted)
};

class PodRuns {
 public:
  // `request`: what a container shall have; `digest`: of the present parameters; `selects`: whether the policy is for
  // the pods of a namespace.
  PodRuns(PodEnvRequest request, std::string digest, std::function<bool(std::string_view name_space)> selects)
      : request_(std::move(request)), digest_(std::move(digest)), selects_(std::move(selects)) {}

  // Remembers what owns the objects of a page of a list, which are of this kind: ReplicaSets, Jobs. Before the pods.
  // Errors: type.
  Result<void> AddOwners(const Object& page, std::string_view group, std::string_view kind);

  // Looks at a page of a list of pods. A pod is outdated if its annotation has another digest; without an annotation,
  // if a patch would change it (pod_env.h), the import into Windows' store apart. Leaves out pods that have ended or
  // are being deleted, static ones, those that opted out (without `trust`), and those of other namespaces. Errors:
  // type, invalid-config.
  Result<void> AddPods(const Object& page);

  // Every workload with running pods that the policy is for, in order.
  std::vector<WorkloadPods> Workloads() const;

 private:
  Result<void> AddPod(const source::ObjectView& pod, const PodEnvObject& made);
  bool IsOutdated(std::string_view digest, const PodEnvObject& made) const;

  PodEnvRequest request_;
  std::string digest_;
  std::function<bool(std::string_view)> selects_;
  std::map<Workload, Workload> owners_;
  std::map<Workload, WorkloadPods> workloads_;
};

}  // namespace prov::publish
