#include "provisioner/cli/running_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "provisioner/publish/rollout.h"

namespace prov::cli {
namespace {

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
