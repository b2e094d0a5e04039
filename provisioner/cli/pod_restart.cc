#include "provisioner/cli/pod_restart.h"

#include <fmt/format.h>

#include <utility>

#include "provisioner/base/sentence.h"
#include "provisioner/publish/objects.h"
#include "provisioner/publish/rollout.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_client.h"

namespace prov::cli {
namespace {

constexpr std::int64_t kPauseMs = 2000;
constexpr std::int64_t kNoAnswerSeconds = 30;

source::KubeObject ObjectOf(const publish::Workload& workload) {
  return {.group = "apps",
          .resource = std::string(publish::RolloutResource(workload.group, workload.kind)),
          .name_space = workload.name_space,
          .name = workload.name};
}

// Why a workload without rollouts has to be left to a person.
std::string ReasonToLeave(const publish::Workload& workload) {
  const std::string& kind = workload.kind;
  if (workload.group.empty() && kind == "Pod") return "nothing makes it again; delete it and create it anew";
  if (workload.group == "batch" && (kind == "Job" || kind == "CronJob"))
    return "a pod of a Job runs to its end; the next one gets the variables";
  if (workload.group == "apps" && kind == "ReplicaSet") return "it has no rollout; delete its pods one after the other";
  if (workload.group.empty() && kind == "ReplicationController") {
    return "it has no rollout; run oc rollout latest if a DeploymentConfig made it, else delete its pods one after the "
           "other";
  }
  return fmt::format("a {} of {} is not known here; restart it as its own documentation says", kind,
                     workload.group.empty() ? "the core API" : workload.group);
}

class Restarter {
 public:
  Restarter(machine::Host& host, const source::KubeAccess& access, std::int64_t wait_seconds)
      : host_(host), access_(access), wait_seconds_(wait_seconds) {}

  RestartedWorkload Run(const publish::WorkloadPods& pods) {
    RestartedWorkload out{.pods = pods};
    const std::int64_t begin = host_.clock().NowUnix();
    const Result<void> done = Roll(out);
    if (done) return out;
    out.restart = Restart::kFailed;
    out.message = SentenceWithPlace(done.error().message, done.error().where);
    // A server that does not answer would not for the others, either, and each would take as long.
    const bool no_answer = host_.clock().NowUnix() - begin >= kNoAnswerSeconds;
    ends_ = ends_ || rolling_ || no_answer || !host_.clock().Wait(0);
    return out;
  }

  // Whether what happened to one speaks against going on.
  bool ends() const { return ends_; }

 private:
  static void Leave(RestartedWorkload& out, std::string why) {
    out.restart = Restart::kLeft;
    out.message = std::move(why);
  }

  Result<void> Roll(RestartedWorkload& out) {
    const publish::Workload& workload = out.pods.workload;
    if (publish::RolloutResource(workload.group, workload.kind).empty()) {
      Leave(out, ReasonToLeave(workload));
      return {};
    }
    // A client of its own, as its requests share one limit of time.
    source::KubeClient client(access_, {host_.http(), host_.clock()});
    const source::KubeObject object = ObjectOf(workload);
    const publish::Object before = PROV_TRY(publish::ReadAnyObject(PROV_TRY(client.Get(object)), object.Path()));
    std::string reason = PROV_TRY(publish::ReasonNotToRoll(publish::ViewOf(before), workload.kind));
    if (!reason.empty()) {
      Leave(out, std::move(reason));
      return {};
    }
    const publish::Rollout present = PROV_TRY(publish::RolloutOf(publish::ViewOf(before), workload.kind));
    if (!present.done) {
      Leave(out,
            fmt::format("it was not complete before: {}; see kubectl describe of it and of its pods, or restart it "
                        "with kubectl rollout restart",
                        present.message));
      return {};
    }
    PROV_TRY(client.Patch(object, publish::RestartPatch(host_.clock().NowUnix())));
    rolling_ = true;
    PROV_TRY(Await(client, object, out));
    rolling_ = false;
    return {};
  }

  Result<void> Await(source::KubeClient& client, const source::KubeObject& object, RestartedWorkload& out) {
    const std::int64_t end = host_.clock().NowUnix() + wait_seconds_;
    for (;;) {
      const publish::Object now = PROV_TRY(publish::ReadAnyObject(PROV_TRY(client.Get(object)), object.Path()));
      publish::Rollout rollout = PROV_TRY(publish::RolloutOf(publish::ViewOf(now), out.pods.workload.kind));
      const bool late = host_.clock().NowUnix() >= end;
      if (rollout.done || rollout.failed || late) {
        out.restart = rollout.done ? Restart::kDone : Restart::kFailed;
        if (!rollout.done) {
          ends_ = true;
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
  bool rolling_ = false;  // one is, and how far it is could not be read
  bool ends_ = false;
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
                                                        std::int64_t wait_seconds,
                                                        const std::function<bool(RestartedWorkload&)>& is_good) {
  const source::KubeAccess access = PROV_TRY(source::KubeAccess::Open(cluster));
  Restarter restarter(host, access, wait_seconds);
  std::vector<RestartedWorkload> out;
  out.reserve(workloads.size());
  constexpr int kMostBad = 2;  // in a row: one may have an operator that takes its restart back
  bool good = false;
  int bad = 0;
  for (const publish::WorkloadPods& pods : workloads) {
    if (bad >= kMostBad || restarter.ends()) {
      out.push_back({.pods = pods, .restart = Restart::kNotReached});
      continue;
    }
    out.push_back(restarter.Run(pods));
    if (good || out.back().restart != Restart::kDone) continue;
    good = is_good(out.back());
    if (!good) ++bad;
  }
  return out;
}

}  // namespace prov::cli
