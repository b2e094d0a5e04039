#include "provisioner/controller/rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/controller/coordination.h"
#include "provisioner/fleet/approver.h"

namespace prov::controller {
namespace {

using fleet::ConfirmedSecret;
using fleet::RolloutPhase;
using fleet::RolloutRecord;

// False: another may have written it since it was read, so it is to be read again. Of a new one that is always so:
// KubeClient::Create leaves what another has made.
Result<bool> WriteSecret(source::KubeClient& client, const ConfirmedSecret& secret, const std::string& name_space) {
  source::KubeObject object = fleet::ConfirmedSecretObject(name_space);
  const std::string document = fleet::ConfirmedSecretDocument(secret, name_space);
  if (!secret.resource_version.empty()) return client.PatchUnchanged(object, document);
  object.name.clear();
  PROV_TRY(client.Create(object, document));
  return false;
}

bool IsUnderWay(const std::optional<RolloutRecord>& record) {
  if (!record) return false;
  const RolloutPhase phase = record->progress.phase;
  return phase == RolloutPhase::kOpen || phase == RolloutPhase::kHeld || phase == RolloutPhase::kTakingBack;
}

// Ends the rollout as a failed one. Nodes that have confirmed its settings keep them until they get others.
void MakeRoom(RolloutRecord& record, std::string reason, Clock& clock) {
  record.order.takes_back = false;
  record.progress.phase = RolloutPhase::kTakingBack;
  record.progress.wave_since = clock.NowUnix();
  record.progress.reason = std::move(reason);
}

class Coordinator {
 public:
  Coordinator(const RolloutRequest& request, const source::KubeAccess& access, const source::SourcePorts& ports)
      : request_(request),
        access_(access),
        ports_(ports),
        lease_(request.name_space, std::string(kRolloutLease), request.identity, "the rollout", ports.clock) {}

  Result<RolloutView> Run(const std::function<void(const RolloutView&)>& report) {
    Result<RolloutView> out = Steps(report);
    lease_.Release(access_, ports_.http);
    return out;
  }

 private:
  Result<RolloutView> Steps(const std::function<void(const RolloutView&)>& report) {
    Patience patience(ports_.clock.NowUnix());
    for (;;) {
      source::KubeClient client(access_, ports_);
      Result<std::optional<RolloutView>> step = Step(client);
      const std::int64_t now = ports_.clock.NowUnix();
      if (step) patience.NoteAnswer(now);
      const bool may_pass = !step && began_ && patience.Has(step.error(), client.was_refused(), now);
      if (!step && !may_pass) return std::unexpected(std::move(step).error());
      if (!step && request_.waits_for) request_.waits_for(step.error());
      if (step && *step) {
        report(**step);
        if (IsOver(**step)) return **std::move(step);
      }
      const std::size_t nodes = step && *step ? (*step)->nodes.size() : 0;
      if (!ports_.clock.Wait(StepPauseMs(nodes)))
        return Fail(Code::kInterrupted, "was asked to stop; run it again to go on");
    }
  }

  // One of other settings that ended makes room for that of the request.
  bool IsOver(const RolloutView& view) const {
    const RolloutPhase phase = view.record.progress.phase;
    if (phase == RolloutPhase::kOpen || phase == RolloutPhase::kTakingBack) return false;
    return view.record.order.digest == request_.order.digest || !request_.replaces;
  }

  // nullopt: another has the Lease, or wrote the Secret meanwhile.
  Result<std::optional<RolloutView>> Step(source::KubeClient& client) {
    if (!PROV_TRY(lease_.Hold(client, began_))) return std::nullopt;
    ConfirmedSecret secret = PROV_TRY(fleet::ReadConfirmedSecret(client, request_.name_space));
    std::vector<fleet::RolloutNode> nodes = PROV_TRY(fleet::ReadRolloutNodes(client));
    RolloutRecord record = PROV_TRY(RecordOf(secret, nodes));
    RolloutView view{std::move(record), std::move(nodes)};
    const fleet::RolloutStep step =
        fleet::NextStep(view.record.order, view.record.progress, view.nodes, ports_.clock.NowUnix());
    view.record.progress = step.progress;
    // First what is to be approved, so that whoever goes on after this process approves the same nodes.
    if (secret.record != view.record) {
      secret.record = view.record;
      // What is confirmed in the end has the passwords of now.
      const bool goes_on = step.progress.phase == RolloutPhase::kOpen || step.progress.phase == RolloutPhase::kDone;
      if (goes_on && view.record.order.digest == request_.order.digest) secret.next = request_.settings;
      if (step.progress.phase == RolloutPhase::kDone && secret.next)
        secret.confirmed = std::exchange(secret.next, std::nullopt);
      if (!PROV_TRY(WriteSecret(client, secret, request_.name_space))) return std::nullopt;
    }
    began_ = true;
    const bool ends = step.progress.phase == RolloutPhase::kDone;
    PROV_TRY(Patch(client, step.approve, fleet::ApprovalPatch(view.record.approval), ends));
    node::Approval previous = view.record.approval;
    previous.digest = view.record.order.previous;
    PROV_TRY(Patch(client, step.take_back, fleet::ApprovalPatch(previous), false));
    PROV_TRY(Patch(client, step.withdraw, fleet::ApprovalPatch(std::nullopt), false));
    return view;
  }

  // A rollout that few nodes wait for would end soon, and prove little.
  static Result<void> CheckTakesPart(const fleet::RolloutOrder& order, const std::vector<fleet::RolloutNode>& nodes) {
    const auto apart = std::ranges::count_if(nodes, [&](const fleet::RolloutNode& node) {
      return StandingOf(node, order) == fleet::RolloutStanding::kApart;
    });
    if (std::ssize(nodes) > 2 * apart) return {};
    if (nodes.empty()) return Fail(Code::kNotFound, "the cluster has no Windows nodes that could prove the settings");
    return Fail(
        Code::kNotFound,
        fmt::format("of {} Windows nodes, {} take settings without approval, or report nothing; print the fleet's "
                    "manifests with provisioner deploy --approval, apply them, and wait until the nodes report",
                    nodes.size(), apart));
  }

  // The rollout that is under way, or the new one, which the next step writes.
  Result<RolloutRecord> RecordOf(const ConfirmedSecret& secret, const std::vector<fleet::RolloutNode>& nodes) {
    if (IsUnderWay(secret.record)) {
      RolloutRecord out = *secret.record;
      if (out.order.digest == request_.order.digest) return PROV_TRY(GoneOnWith(std::move(out)));
      if (request_.replaces) return Replaced(std::move(out));
      return Fail(Code::kLock,
                  fmt::format("a rollout of other settings ({:.12}) is under way", secret.record->order.digest),
                  fleet::ConfirmedSecretObject(request_.name_space).Path());
    }
    if (begun_here_ && secret.record && secret.record->order.digest == request_.order.digest) return *secret.record;
    if (begun_here_) {
      return Fail(Code::kLock, "another coordinator has ended the rollout meanwhile",
                  fleet::ConfirmedSecretObject(request_.name_space).Path());
    }
    if (request_.may_begin && !PROV_TRY(request_.may_begin(secret))) {
      if (secret.record && began_) return *secret.record;
      return Fail(Code::kLock, "another coordinator has ended the rollout meanwhile",
                  fleet::ConfirmedSecretObject(request_.name_space).Path());
    }
    PROV_TRY(CheckTakesPart(request_.order, nodes));
    RolloutRecord out{request_.order, {}, request_.approval};
    out.order.previous = PROV_TRY(fleet::ConfirmedDigest(secret));
    out.progress.wave_since = ports_.clock.NowUnix();
    out.approval.digest = out.order.digest;
    out.order.attempt = NextAttempt(secret.record, nodes);
    out.approval.attempt = out.order.attempt;
    out.order.trial_seconds = out.approval.trial_seconds;
    begun_here_ = true;
    return out;
  }

  // Higher than what any node may remember, also where the record was lost.
  static std::int64_t NextAttempt(const std::optional<RolloutRecord>& record,
                                  const std::vector<fleet::RolloutNode>& nodes) {
    std::int64_t last = record ? record->order.attempt : 0;
    for (const fleet::RolloutNode& node : nodes) {
      last = std::max(last, node.approved_attempt);
      if (node.state && node.state->approval && node.state->approval->trial)
        last = std::max(last, node.state->approval->trial->attempt);
    }
    return last + 1;
  }

  // The same choices as before, or none. Whoever changes them must not believe that they count.
  Result<RolloutRecord> GoneOnWith(RolloutRecord record) {
    fleet::RolloutOrder asked = request_.order;
    asked.previous = record.order.previous;
    asked.attempt = record.order.attempt;
    asked.trial_seconds = record.order.trial_seconds;
    node::Approval told = request_.approval;
    told.digest = record.approval.digest;
    told.attempt = record.approval.attempt;
    begun_here_ = true;
    if (!request_.has_choices || (asked == record.order && told == record.approval)) return record;
    return Fail(
        Code::kUsage,
        "the rollout of these settings is under way with other options; leave the options out to go on with it, "
        "or end it first: fleet hold, and a rollout of other settings",
        fleet::ConfirmedSecretObject(request_.name_space).Path());
  }

  RolloutRecord Replaced(RolloutRecord record) const {
    if (record.progress.phase != RolloutPhase::kTakingBack) {
      MakeRoom(record, fmt::format("a rollout of other settings ({:.12}) took its place", request_.order.digest),
               ports_.clock);
    }
    return record;
  }

  // Looks at the Lease meanwhile, so that one who was frozen stops if another goes on. After some seconds the others
  // are left to the next step, which reads first what the cluster says: a person may hold the rollout, or a node of
  // this wave may have taken the settings back. `all`: there is no next step. A node that
  // is gone meanwhile needs nothing.
  Result<void> Patch(source::KubeClient& client, const std::vector<std::string>& names, const std::string& patch,
                     bool all) {
    const std::int64_t begin = ports_.clock.NowUnix();
    for (const std::string& name : names) {
      if (!all && ports_.clock.NowUnix() - begin >= Leader::kRenewSeconds) break;
      if (!PROV_TRY(lease_.Hold(client, began_))) break;
      const Result<void> done = client.Patch(source::NodeObject(name), patch);
      if (!done && done.error().code != Code::kNotFound) return done;
    }
    return {};
  }

  const RolloutRequest& request_;
  const source::KubeAccess& access_;
  source::SourcePorts ports_;
  CoordinatorLease lease_;
  bool began_ = false;       // the cluster keeps the rollout
  bool begun_here_ = false;  // that of the request, not one that it replaces
};

// Changes the record of a rollout in this phase. `what`: what is not done where there is none, such as "to hold".
Result<RolloutRecord> Change(const std::string& name_space, const source::KubeAccess& access,
                             const source::SourcePorts& ports, RolloutPhase from, std::string_view what,
                             const std::function<void(RolloutRecord&)>& change) {
  constexpr int kMostRaces = 5;
  const std::string where = fleet::ConfirmedSecretObject(name_space).Path();
  for (int i = 0; i < kMostRaces; ++i) {
    source::KubeClient client(access, ports);
    ConfirmedSecret secret = PROV_TRY(fleet::ReadConfirmedSecret(client, name_space));
    if (!secret.record || secret.record->progress.phase != from) {
      const std::string is = secret.record
                                 ? fmt::format("the last one is {}", fleet::NameOf(secret.record->progress.phase))
                                 : "there was none yet";
      return Fail(Code::kNotFound,
                  fmt::format("no rollout is {}, so there is nothing {}: {}", fleet::NameOf(from), what, is), where);
    }
    change(*secret.record);
    if (PROV_TRY(WriteSecret(client, secret, name_space))) return *secret.record;
  }
  return Fail(Code::kNetwork, "others keep writing this object", where);
}

}  // namespace

Result<RolloutView> RunRollout(const RolloutRequest& request, const source::KubeAccess& access,
                               const source::SourcePorts& ports,
                               const std::function<void(const RolloutView&)>& report) {
  return Coordinator(request, access, ports).Run(report);
}

Result<RolloutRecord> HoldRollout(const std::string& name_space, const source::KubeAccess& access,
                                  const source::SourcePorts& ports) {
  return Change(name_space, access, ports, RolloutPhase::kOpen, "to hold",
                [](RolloutRecord& record) { record.progress.phase = RolloutPhase::kHeld; });
}

Result<RolloutRecord> ResumeRollout(const std::string& name_space, const source::KubeAccess& access,
                                    const source::SourcePorts& ports) {
  return Change(name_space, access, ports, RolloutPhase::kHeld, "to resume", [&](RolloutRecord& record) {
    record.progress.phase = RolloutPhase::kOpen;
    record.progress.wave_since = ports.clock.NowUnix();
    record.progress.confirmed_since.reset();  // nobody looked meanwhile
  });
}

Result<RolloutRecord> SupersedeRollout(const std::string& name_space, const source::KubeAccess& access,
                                       const source::SourcePorts& ports) {
  return Change(name_space, access, ports, RolloutPhase::kOpen, "to end",
                [&](RolloutRecord& record) { MakeRoom(record, "the source has other settings now", ports.clock); });
}

}  // namespace prov::controller
