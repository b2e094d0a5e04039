#include "provisioner/controller/reboot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "provisioner/controller/coordination.h"
#include "provisioner/fleet/rollout_record.h"

namespace prov::controller {
namespace {

using fleet::DrainPod;
using fleet::DrainPods;
using fleet::RebootNode;
using fleet::RebootStage;

class RebootCoordinator {
 public:
  RebootCoordinator(const RebootRequest& request, const source::KubeAccess& access, const source::SourcePorts& ports)
      : request_(request),
        access_(access),
        ports_(ports),
        lease_(request.name_space, std::string(kRebootLease), request.identity, "the reboots", ports.clock) {}

  Result<RebootView> Run(const std::function<void(const RebootView&)>& report) {
    Result<RebootView> out = Steps(report);
    lease_.Release(access_, ports_.http);
    return out;
  }

 private:
  Result<RebootView> Steps(const std::function<void(const RebootView&)>& report) {
    Patience patience(ports_.clock.NowUnix());
    for (;;) {
      source::KubeClient client(access_, ports_);
      Result<std::optional<RebootView>> step = Step(client);
      const std::int64_t now = ports_.clock.NowUnix();
      if (step) patience.NoteAnswer(now);
      const bool may_pass = !step && began_ && patience.Has(step.error(), client.was_refused(), now);
      if (!step && !may_pass) return Broken(std::move(step).error());
      if (!step && request_.waits_for) request_.waits_for(step.error());
      std::size_t nodes = 0;
      if (step && *step) {
        report(**step);
        if ((*step)->is_over) return **std::move(step);
        nodes = (*step)->nodes.size();
      }
      if (!ports_.clock.Wait(StepPauseMs(nodes))) return Stopped();
    }
  }

  // Which nodes a run that ends now may leave cordoned; "": none.
  std::string LeftCordoned() const {
    if (in_turn_.empty()) return "";
    return fmt::format("; {} may stay cordoned until it is run again, which goes on from here",
                       fleet::NamesInShort(std::vector<std::string>(in_turn_.begin(), in_turn_.end())));
  }

  std::unexpected<Error> Stopped() const {
    if (in_turn_.empty()) return Fail(Code::kInterrupted, "was asked to stop; run it again to go on");
    return Fail(Code::kInterrupted, "was asked to stop" + LeftCordoned());
  }

  std::unexpected<Error> Broken(Error error) const {
    error.message += LeftCordoned();
    return std::unexpected(std::move(error));
  }

  // nullopt: another has the Lease.
  Result<std::optional<RebootView>> Step(source::KubeClient& client) {
    if (!PROV_TRY(lease_.Hold(client, began_))) return std::nullopt;
    RebootView view{PROV_TRY(fleet::ReadRebootNodes(client)), {}};
    const DrainPods pods = PROV_TRY(ReadPods(client, view.nodes));
    view.rollout_open = PROV_TRY(IsRolloutOpen(client, view.nodes));
    fleet::RebootStep step =
        fleet::NextReboots(request_.order, progress_, view.nodes, pods, !view.rollout_open, ports_.clock.NowUnix());
    began_ = true;
    view.is_over = step.is_over;
    view.progress = progress_ = std::move(step.progress);
    in_turn_ = {step.begin.begin(), step.begin.end()};
    for (const RebootNode& node : view.nodes) {
      if (node.turn) in_turn_.insert(node.name);
    }
    PROV_TRY(Patch(client, view.nodes, step.end, fleet::EndTurnPatch));
    PROV_TRY(Patch(client, view.nodes, step.approve, fleet::ApproveRebootPatch));
    PROV_TRY(Patch(client, view.nodes, step.begin, fleet::BeginTurnPatch));
    for (const std::string& name : step.evict) PROV_TRY(Evict(client, pods.at(name)));
    return view;
  }

  // With what was said about their last evictions.
  Result<DrainPods> ReadPods(source::KubeClient& client, const std::vector<RebootNode>& nodes) {
    DrainPods out;
    for (const RebootNode& node : nodes) {
      if (StageOf(node) != RebootStage::kDraining) continue;
      std::vector<DrainPod>& pods = out[node.name] = PROV_TRY(fleet::ReadDrainPods(client, node.name));
      for (DrainPod& pod : pods) {
        if (const auto found = refusals_.find(pod.uid); found != refusals_.end()) pod.refused = found->second;
      }
    }
    return out;
  }

  Result<bool> IsRolloutOpen(source::KubeClient& client, const std::vector<RebootNode>& nodes) {
    const auto waits = [](const RebootNode& node) { return StageOf(node) == RebootStage::kWaits; };
    if (std::ranges::none_of(nodes, waits)) return false;
    auto record = PROV_TRY(fleet::ReadConfirmedSecret(client, request_.name_space)).record;
    if (std::exchange(rollout_, record) != record) progress_.blocked_since.reset();
    return record && (record->progress.phase == fleet::RolloutPhase::kOpen ||
                      record->progress.phase == fleet::RolloutPhase::kTakingBack);
  }

  // A node that was written or deleted since it was read is left to the next step, which reads it again.
  Result<void> Patch(source::KubeClient& client, const std::vector<RebootNode>& nodes,
                     const std::vector<std::string>& names, std::string (*patch)(const RebootNode&)) {
    for (const std::string& name : names) {
      if (!PROV_TRY(lease_.Hold(client, began_))) return {};
      const Result<bool> done =
          client.PatchUnchanged(source::NodeObject(name), patch(*std::ranges::find(nodes, name, &RebootNode::name)));
      if (!done && done.error().code != Code::kNotFound) return std::unexpected(done.error());
    }
    return {};
  }

  // Those that were refused come last, as there may be no time for all.
  Result<void> Evict(source::KubeClient& client, std::vector<DrainPod> pods) {
    const std::int64_t begin = ports_.clock.NowUnix();
    std::ranges::stable_partition(pods, [](const DrainPod& pod) { return pod.refused.empty(); });
    for (const DrainPod& pod : pods) {
      if (pod.ends) continue;
      if (ports_.clock.NowUnix() - begin >= Leader::kRenewSeconds || !PROV_TRY(lease_.Hold(client, began_))) break;
      if (auto words = PROV_TRY(client.Evict(source::PodObject(pod.name_space, pod.name), pod.uid))) {
        refusals_[pod.uid] = *std::move(words);
      } else {
        refusals_.erase(pod.uid);
      }
    }
    return {};
  }

  const RebootRequest& request_;
  const source::KubeAccess& access_;
  source::SourcePorts ports_;
  CoordinatorLease lease_;
  fleet::RebootProgress progress_;
  std::map<std::string, std::string> refusals_;  // by the uid of a pod
  std::set<std::string> in_turn_;                // after the last step that planned
  std::optional<fleet::RolloutRecord> rollout_;  // as it was read last
  bool began_ = false;                           // a step was made
};

}  // namespace

Result<RebootView> RunReboots(const RebootRequest& request, const source::KubeAccess& access,
                              const source::SourcePorts& ports, const std::function<void(const RebootView&)>& report) {
  return RebootCoordinator(request, access, ports).Run(report);
}

}  // namespace prov::controller
