#include "provisioner/cli/running_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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

// Restarts those with outdated pods one after the other, by the annotation that `kubectl rollout restart` sets, and
// waits up to `wait_seconds` for each. One that can't be read or changed fails alone. One whose pods were not all
// available before is left, as it would not say whether the new values are good. The first whose new pods do not become
// available ends it, as what breaks one may break all; so does a server without an answer. `is_good`: asked about each
// that was rolled, which it may change, until one is good; the second that is not ends it. `cluster`: its source is a
// kube:// URI. Errors: those of source::KubeAccess::Open.
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

Error NoPolicy(bool knows, const std::string& where) {
  if (!knows) {
    return {
        Code::kUnsupported,
        "this API server knows no MutatingAdmissionPolicy of admissionregistration.k8s.io/v1, which Kubernetes 1.36 "
        "and later have, so new pods would lack the variables, too; patch the workloads with --format patch, which "
        "makes new pods as well",
        where};
  }
  return {Code::kNotFound,
          fmt::format("the cluster has no MutatingAdmissionPolicyBinding \"{}\", so new pods would lack the variables, "
                      "too; apply what --format admission-policy prints",
                      publish::kPodPolicyName),
          where};
}

// Without those whose pods are all as they should be.
std::vector<publish::WorkloadPods> Outdated(std::vector<publish::WorkloadPods> all) {
  std::erase_if(all, [](const publish::WorkloadPods& pods) { return pods.outdated == 0; });
  return all;
}

// Pods without a template that ObjectsOf() has looked at, whose annotation says that they are current.
void NameUntrusted(const std::vector<publish::WorkloadPods>& all, Findings& findings) {
  CappedFindings capped(findings, "pods");
  for (const publish::WorkloadPods& pods : all) {
    const publish::Workload& of = pods.workload;
    if (pods.untrusted == 0 || !publish::RolloutResource(of.group, of.kind).empty() || of.kind == "CronJob") continue;
    capped.Warn("pod-trust-taken",
                fmt::format("{} of the {} pods of {} {}/{} have a container that gets no certificates: another volume "
                            "has the name or the place of the bundle; rename it, or mount it elsewhere",
                            pods.untrusted, pods.running, of.kind, of.name_space, of.name),
                "pods");
  }
}

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

bool NeedsRestart(const RestartedWorkload& one) { return one.pods.outdated > 0 && one.restart != Restart::kDone; }

Result<std::optional<ClusterPodPolicy>> RunningPodsCheck::ReadPolicy() {
  auto policy = ReadPodPolicy(host_, order_.cluster);
  if (order_.restart) {
    if (policy && !*policy)
      return std::unexpected(NoPolicy(PROV_TRY(KnowsPodPolicies(host_, order_.cluster)), order_.cluster.source));
    return policy;
  }
  if (policy) return policy;
  AddWarning(findings_, "pod-policy-unread",
             fmt::format("whether an admission policy gives the variables to pods could not be read, so only templates "
                         "were looked at: {}",
                         policy.error().message),
             policy.error().where);
  return std::nullopt;
}

// New pods get the values of the ConfigMap, whatever the source says.
Result<void> RunningPodsCheck::CompareParams(const ClusterPodPolicy& policy, const std::string& digest) {
  if (policy.digest == digest) return {};
  const std::string where = fmt::format("configmap {}/{}", policy.params_place.name_space, policy.params_place.name);
  const std::string message = fmt::format(
      "{}, and new pods get its values; see whether `controller --params` keeps it, or apply what --format "
      "admission-policy prints",
      policy.digest ? "has other values than the source" : "holds no values of provisioner");
  if (order_.restart) return Fail(Code::kInvalidConfig, message, where);
  AddWarning(findings_, "pod-params", message, where);
  return {};
}

Result<std::vector<publish::WorkloadPods>> RunningPodsCheck::Read(const Wanted& wanted) {
  const ClusterPodPolicy& policy = wanted.policy;
  publish::PodRuns runs(wanted.request, wanted.digest, [&](std::string_view name) { return policy.Selects(name); });
  PROV_TRY(ReadPodRuns(host_, order_.cluster, runs));
  return runs.Workloads();
}

// Workloads that were rolled and whose new pods lack the variables, too: something is between the policy and them. An
// error takes nothing of the report away. False: nobody could look.
bool RunningPodsCheck::VerifyRestarts(const Wanted& wanted, std::span<RestartedWorkload> restarted) {
  if (std::ranges::find(restarted, Restart::kDone, &RestartedWorkload::restart) == restarted.end()) return true;
  auto all = Read(wanted);
  if (!all) {
    AddWarning(findings_, "pod-policy-unread",
               fmt::format("whether the new pods have the present variables could not be read: {}; run --check again",
                           all.error().message),
               all.error().where);
    return false;
  }
  const std::vector<publish::WorkloadPods> still = Outdated(*std::move(all));
  for (RestartedWorkload& one : restarted) {
    if (one.restart != Restart::kDone ||
        std::ranges::find(still, one.pods.workload, &publish::WorkloadPods::workload) == still.end())
      continue;
    one.restart = Restart::kFailed;
    one.message =
        "its new pods lack the present variables, too: compare the policy with what --format admission-policy prints; "
        "if "
        "they are the same, the API servers keep former parameters, as they do after the policy's binding was deleted "
        "and made again: restart them; if other workloads have the present ones, an operator took this restart back";
  }
  return true;
}

Result<RunningPods> RunningPodsCheck::Look(const Wanted& wanted, const NamesOfNamespaces& without_bundle) {
  PROV_TRY(CompareParams(wanted.policy, wanted.digest));
  std::vector<publish::WorkloadPods> all = PROV_TRY(Read(wanted));
  NameUntrusted(all, findings_);
  const auto has_no_bundle = [&](const publish::WorkloadPods& pods) {
    return without_bundle.contains(pods.workload.name_space);
  };
  RunningPods out{.workloads = {}, .differs = std::ranges::any_of(all, has_no_bundle)};
  const std::vector<publish::WorkloadPods> outdated = Outdated(std::move(all));
  if (order_.restart && unread_ && !outdated.empty()) return std::unexpected(*unread_);
  if (order_.restart) {
    std::vector<publish::WorkloadPods> rolled, left;
    rolled.reserve(outdated.size());
    left.reserve(outdated.size());
    for (const publish::WorkloadPods& pods : outdated) (has_no_bundle(pods) ? left : rolled).push_back(pods);
    bool looked = true;
    out.workloads =
        PROV_TRY(RestartWorkloads(host_, order_.cluster, rolled, order_.wait_seconds, [&](RestartedWorkload& one) {
          looked = VerifyRestarts(wanted, {&one, 1}) && looked;
          return looked && one.restart == Restart::kDone;
        }));
    looked = looked && VerifyRestarts(wanted, out.workloads);
    out.differs = out.differs || !looked;
    for (const publish::WorkloadPods& pods : left) {
      out.workloads.push_back({.pods = pods,
                               .restart = Restart::kLeft,
                               .message = "its namespace lacks the bundle, so programs in new pods would trust no "
                                          "server; make the ConfigMap there"});
    }
  } else {
    out.workloads.reserve(outdated.size());
    for (const publish::WorkloadPods& pods : outdated) out.workloads.push_back({.pods = pods});
  }
  out.differs = out.differs || std::ranges::any_of(out.workloads, NeedsRestart);
  return out;
}

NamesOfNamespaces RunningPodsCheck::FindMissingMaps(const ClusterPodPolicy& policy) {
  constexpr std::size_t kMostNames = 10;
  const std::string& map = policy.trust->config_map;
  const auto having = NamespacesWith(host_, order_.cluster, *policy.trust);
  if (!having) {
    unread_ = having.error();
    AddInfo(findings_, "pod-trust-missing",
            fmt::format("whether each namespace of the policy has the ConfigMap \"{}\" could not be read: {}", map,
                        having.error().message),
            having.error().where);
    return {};
  }
  std::vector<std::string> missing;
  std::ranges::set_difference(policy.namespaces, *having, std::back_inserter(missing), std::less<>());
  NamesOfNamespaces out(missing.begin(), missing.end());
  if (missing.empty()) return out;
  const std::size_t more = missing.size() - std::min(missing.size(), kMostNames);
  missing.resize(missing.size() - more);
  AddWarning(
      findings_, "pod-trust-missing",
      fmt::format("the policy gives the variables of the bundle to pods of {}{}, which have no ConfigMap "
                  "\"{}\" with the key \"{}\": they name a file that is not there, so TLS fails; make it "
                  "there, or select other namespaces",
                  fmt::join(missing, ", "), more == 0 ? "" : fmt::format(" and {} more", more), map, policy.trust->key),
      std::string(publish::kPodPolicyName));
  return out;
}

}  // namespace prov::cli
