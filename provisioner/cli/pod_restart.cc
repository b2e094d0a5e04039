#include "provisioner/cli/pod_restart.h"

#include <fmt/format.h>

#include <utility>

#include "provisioner/publish/objects.h"
#include "provisioner/publish/rollout.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_client.h"

namespace prov::cli {
namespace {

constexpr std::int64_t kPauseMs = 2000;

source::KubeObject ObjectOf(const publish::Workload& workload) {
  return {.group = "apps",
          .resource = std::string(publish::RolloutResource(workload.kind)),
          .name_space = workload.name_space,
          .name = workload.name};
}

// Why a workload without rollouts has to be left to a person.
std::string ReasonToLeave(std::string_view kind) {
  if (kind == "Pod") return "nothing makes it again; delete it and create it anew";
  if (kind == "Job" || kind == "CronJob") return "a pod of a Job runs to its end; the next one gets the variables";
  if (kind == "ReplicaSet" || kind == "ReplicationController")
    return "it has no rollout; delete its pods one after the other";
  return "its kind is not known here; restart it as its own documentation says";
}

class Restarter {
 public:
  Restarter(machine::Host& host, const source::KubeAccess& access, std::int64_t wait_seconds)
      : host_(host), access_(access), wait_seconds_(wait_seconds) {}

  Result<RestartedWorkload> Run(const publish::WorkloadPods& pods) {
    RestartedWorkload out{.pods = pods};
    if (publish::RolloutResource(pods.workload.kind).empty()) {
      out.restart = Restart::kLeft;
      out.message = ReasonToLeave(pods.workload.kind);
      return out;
    }
    // A client of its own, as its requests share one limit of time.
    source::KubeClient client(access_, {host_.http(), host_.clock()});
    const source::KubeObject object = ObjectOf(pods.workload);
    const publish::Object before = PROV_TRY(publish::ReadAnyObject(PROV_TRY(client.Get(object)), object.Path()));
    out.message = PROV_TRY(publish::ReasonNotToRoll(publish::ViewOf(before), pods.workload.kind));
    if (!out.message.empty()) {
      out.restart = Restart::kLeft;
      return out;
    }
    PROV_TRY(client.Patch(object, publish::RestartPatch(host_.clock().NowUnix())));
    PROV_TRY(Await(client, object, out));
    return out;
  }

 private:
  Result<void> Await(source::KubeClient& client, const source::KubeObject& object, RestartedWorkload& out) {
    const std::int64_t end = host_.clock().NowUnix() + wait_seconds_;
    for (;;) {
      const publish::Object now = PROV_TRY(publish::ReadAnyObject(PROV_TRY(client.Get(object)), object.Path()));
      publish::Rollout rollout = PROV_TRY(publish::RolloutOf(publish::ViewOf(now), out.pods.workload.kind));
      const bool late = host_.clock().NowUnix() >= end;
      if (rollout.done || rollout.failed || late) {
        out.restart = rollout.done ? Restart::kDone : Restart::kFailed;
        if (!rollout.done) {
          out.message = fmt::format("{}{}; see kubectl describe of it and of its pods", std::move(rollout.message),
                                    rollout.failed ? "" : fmt::format(" after {} s", wait_seconds_));
        }
        return {};
      }
      if (!host_.clock().Wait(kPauseMs)) return Fail(Code::kInterrupted, "was asked to stop", object.Path());
    }
  }

  machine::Host& host_;
  const source::KubeAccess& access_;
  std::int64_t wait_seconds_;
};

}  // namespace

std::string_view NameOf(Restart restart) {
  switch (restart) {
    case Restart::kNotAsked:
      return "";
    case Restart::kDone:
      return "done";
    case Restart::kLeft:
      return "left";
    case Restart::kFailed:
      return "failed";
    case Restart::kNotReached:
      return "not-reached";
  }
  return "";
}

Result<std::vector<RestartedWorkload>> RestartWorkloads(machine::Host& host, const source::SourceSpec& cluster,
                                                        const std::vector<publish::WorkloadPods>& workloads,
                                                        std::int64_t wait_seconds) {
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(cluster));
  Restarter restarter(host, access, wait_seconds);
  std::vector<RestartedWorkload> out;
  out.reserve(workloads.size());
  bool failed = false;
  for (const publish::WorkloadPods& pods : workloads) {
    if (failed) {
      out.push_back({.pods = pods, .restart = Restart::kNotReached});
      continue;
    }
    out.push_back(PROV_TRY(restarter.Run(pods)));
    failed = out.back().restart == Restart::kFailed;
  }
  return out;
}

}  // namespace prov::cli
