#include "provisioner/controller/rollout_keeper.h"

#include <fmt/format.h>

#include <utility>

#include "provisioner/fleet/rollout_choices.h"

namespace prov::controller {

using fleet::RolloutPhase;

RolloutDue DueOf(const std::string& digest, const std::string& confirmed,
                 const std::optional<fleet::RolloutRecord>& record) {
  const bool same = record && record->order.digest == digest;
  if (record) {
    switch (record->progress.phase) {
      case RolloutPhase::kOpen:
        return same ? RolloutDue::kRun : RolloutDue::kSupersede;
      case RolloutPhase::kTakingBack:
        return RolloutDue::kFinish;
      case RolloutPhase::kHeld:
        return RolloutDue::kHeld;
      case RolloutPhase::kFailed:
      case RolloutPhase::kDone:
        break;
    }
  }
  if (digest == confirmed) return RolloutDue::kNothing;
  return same && record->progress.phase == RolloutPhase::kFailed ? RolloutDue::kFailed : RolloutDue::kRun;
}

Result<void> RolloutKeeper::Look(const source::KubeAccess& access, const std::function<bool()>& changed) {
  constexpr int kMostSteps = 4;  // superseded, finished, run; and one that a person was faster with
  changed_ = changed;
  for (int i = 0; i < kMostSteps; ++i) {
    if (!PROV_TRY(Step(access))) return {};
  }
  return {};
}

Result<RolloutSettings> RolloutKeeper::Settings() {
  constexpr std::int64_t kPause = 30;  // seconds, after a failure
  const std::int64_t now = ports_.clock.NowUnix();
  const std::int64_t lasts = settings_ && *settings_ ? order_.interval_seconds : kPause;
  const bool is_old = now < read_at_ || now - read_at_ >= lasts;
  if (changed_() || !settings_ || is_old) {
    settings_ = order_.settings();
    read_at_ = now;
  }
  return *settings_;
}

Result<bool> RolloutKeeper::Step(const source::KubeAccess& access) {
  source::KubeClient client(access, ports_);
  const source::KubeObject wish = source::ConfigMapObject(order_.name_space, std::string(fleet::kRolloutConfigMap));
  const auto body = client.Get(wish);
  if (!body && body.error().code == Code::kNotFound) return false;
  const fleet::RolloutChoices choices = PROV_TRY(fleet::ParseRolloutConfigMap(PROV_TRY(body), wish.Path()));
  const RolloutSettings settings = PROV_TRY(Settings());
  const auto due_of = [digest = settings.digest](const fleet::ConfirmedSecret& now) -> Result<RolloutDue> {
    return DueOf(digest, PROV_TRY(fleet::ConfirmedDigest(now)), now.record);
  };
  const fleet::ConfirmedSecret secret = PROV_TRY(fleet::ReadConfirmedSecret(client, order_.name_space));
  const RolloutDue due = PROV_TRY(due_of(secret));
  RolloutRequest request{order_.name_space, order_.identity, choices.order, choices.approval, settings.json, {}};
  request.order.digest = settings.digest;
  // Asked with the Lease held: a person may have run it meanwhile.
  request.may_begin = [&](const fleet::ConfirmedSecret& now) -> Result<bool> {
    return PROV_TRY(due_of(now)) == RolloutDue::kRun;
  };
  switch (due) {
    case RolloutDue::kNothing:
      return false;
    case RolloutDue::kHeld:
    case RolloutDue::kFailed:
      report_(RolloutView{*secret.record, {}});
      return false;
    case RolloutDue::kSupersede:
      PROV_TRY(SupersedeRollout(order_.name_space, access, ports_));
      [[fallthrough]];
    case RolloutDue::kFinish:
      request.order.digest = secret.record->order.digest;
      request.may_begin = [](const fleet::ConfirmedSecret&) -> Result<bool> { return false; };
      break;
    case RolloutDue::kRun:
      break;
  }
  PROV_TRY(Run(access, request));
  return true;
}

Result<void> RolloutKeeper::Run(const source::KubeAccess& access, const RolloutRequest& request) {
  PROV_TRY(RunRollout(request, access, ports_, [&](const RolloutView& view) {
    report_(view);
    EndIfSuperseded(access, view);
  }));
  return {};
}

// While the source can't be read, the rollout goes on: nodes that can't read it, either, apply nothing.
void RolloutKeeper::EndIfSuperseded(const source::KubeAccess& access, const RolloutView& view) {
  if (view.record.progress.phase != RolloutPhase::kOpen) return;
  const Result<RolloutSettings> settings = Settings();
  if (!settings || settings->digest == view.record.order.digest) return;
  // If another was faster, the next step of the rollout sees what it wrote.
  [[maybe_unused]] const auto superseded = SupersedeRollout(order_.name_space, access, ports_);
}

}  // namespace prov::controller
