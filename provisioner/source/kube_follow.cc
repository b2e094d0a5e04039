#include "provisioner/source/kube_follow.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/clock.h"
#include "provisioner/net/http_status.h"

namespace prov::source {
namespace {

constexpr int kSlackSeconds = 10;                  // how late the server may end a watch
constexpr std::int64_t kShortestWatchSeconds = 2;  // a shorter watch ended at once, by a clock of whole seconds

// Whether the source also is ConfigMaps that the object names.
bool NamesMore(KubeKind kind) { return kind == KubeKind::kProxy || kind == KubeKind::kHostedCluster; }

std::string Selector(const KubeObject& object) {
  return "fieldSelector=" + PercentEncode("metadata.name=" + object.name);
}

}  // namespace

void KubeFollower::Follow(const SourceRequest& request) {
  const Seen wanted{request.source, request.kubeconfig, request.selection.pool, request.selection.name};
  if (wanted != following_) {
    following_ = wanted;
    position_.reset();
    fingerprint_.reset();
    backoff_.Reset();
    failures_ = 0;
    current_ = false;
  }
  access_.reset();
  const bool was_current = std::exchange(current_, false);
  if (!IsKubeUri(request.source)) return;
  // Reading the source reports these errors.
  const auto target = ParseKubeUri(request.source, request.selection);
  if (!target || target->kind == KubeKind::kMachineConfig) return;
  auto access = KubeAccess::Open(request, target->context, environment_);
  if (!access) return;
  access_ = *std::move(access);
  kind_ = target->kind;
  if (!position_) object_ = ObjectOf(*target);  // else it is known in which version the server has it
  current_ = was_current;
  // With a position, the watch delivers a change since then.
  if (position_) return;
  fingerprint_.reset();
  FindPosition();
}

void KubeFollower::FollowObject(KubeAccess access, const KubeObject& object) {
  current_ = false;
  access_ = std::move(access);
  kind_ = KubeKind::kData;
  object_ = object;
  if (position_) return;
  fingerprint_.reset();
  FindPosition();
}

bool KubeFollower::Wait(std::int64_t milliseconds) {
  current_ = false;
  if (!access_) return ports_.clock.Wait(milliseconds);
  if (NamesMore(kind_)) milliseconds = std::min(milliseconds, kLongestUnseenMs);
  const std::int64_t whole = (milliseconds + kMillisecondsPerSecond - 1) / kMillisecondsPerSecond;
  const std::int64_t end = ports_.clock.NowUnix() + whole;
  while (!stopped_) {
    const std::int64_t left = end - ports_.clock.NowUnix();
    // If the clock was set back, stop waiting.
    if (left <= 0 || left > whole) return ports_.clock.Wait(0);
    const Step step = position_ ? Watch(std::min(left, kLongestWatchSeconds)) : FindPosition();
    current_ = step == Step::kAgain && position_ && !NamesMore(kind_);
    switch (step) {
      case Step::kChanged:
        return Settle();
      case Step::kGiveUp:
        return ports_.clock.Wait(std::max<std::int64_t>(end - ports_.clock.NowUnix(), 0) * kMillisecondsPerSecond);
      case Step::kPause: {
        const std::int64_t pause = std::max(backoff_.Next(), std::exchange(least_pause_ms_, 0));
        if (!ports_.clock.Wait(std::min(pause, left * kMillisecondsPerSecond))) return false;
        break;
      }
      case Step::kAgain:
      case Step::kStopped:
        break;
    }
  }
  return false;
}

// Lists the object to find where to begin to watch. kChanged: it differs from when the source was read.
KubeFollower::Step KubeFollower::FindPosition() {
  Result<net::FetchRequest> request =
      access_->Request(fmt::format("{}?{}", object_.CollectionPath(), Selector(object_)));
  if (!request) return Failed(request.error());
  request->should_stop = [this] { return ShouldStop(); };
  Result<net::FetchAnswer> answer = ports_.http.Fetch(*request);
  if (stopped_) return Step::kStopped;
  if (!answer) return Failed(answer.error());
  if (answer->status == net::http_status::kNotFound) {
    if (auto older = InOlderVersion(object_)) {
      object_ = *std::move(older);
      return FindPosition();
    }
  }
  if (answer->status != net::http_status::kOk) return Judge(*answer, "list");
  auto state = ParseKubeList(std::move(answer->body), kind_, object_.name);
  if (!state) return Failed(state.error());
  position_ = std::move(state->resource_version);
  refused_ = false;
  const bool same = fingerprint_ == state->fingerprint;
  fingerprint_ = std::move(state->fingerprint);
  return same ? Step::kAgain : Step::kChanged;
}

KubeFollower::Step KubeFollower::Watch(std::int64_t seconds) {
  auto request =
      access_->Request(fmt::format("{}?{}&watch=true&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={}",
                                   object_.CollectionPath(), Selector(object_), PercentEncode(*position_), seconds));
  if (!request) return Failed(request.error());
  KubeWatchReader reader(kind_, object_.name);
  changed_ = gone_ = false;
  broken_.reset();
  // The server ends a watch by itself. One without any data for longer than that is dead.
  request->answer_seconds = static_cast<int>(seconds) + kSlackSeconds;
  request->total_seconds = request->connect_seconds + request->answer_seconds;
  bool listened = false;
  request->sink = [&](std::string_view piece) {
    listened = true;
    return ReadEvents(reader, piece);
  };
  request->should_stop = [this] { return ShouldStop(); };
  const std::int64_t begin = ports_.clock.NowUnix();
  const Result<net::FetchAnswer> answer = ports_.http.Fetch(*request);
  const std::int64_t took = ports_.clock.NowUnix() - begin;
  listened = listened || took >= std::min<std::int64_t>(seconds, kSlackSeconds);
  // Pause after a watch that ends at once, whatever it sent, or a busy loop could result.
  return AfterWatch(answer, listened, took < kShortestWatchSeconds);
}

KubeFollower::Step KubeFollower::AfterWatch(const Result<net::FetchAnswer>& answer, bool listened, bool at_once) {
  if (stopped_) return Step::kStopped;
  if (changed_) {
    backoff_.Reset();
    failures_ = 0;
    refused_ = false;
    return Step::kChanged;
  }
  if (gone_ || (answer && answer->status == net::http_status::kGone)) {
    position_.reset();
    // List again. If that fails repeatedly, the pauses grow.
    return ++failures_ > 1 ? Step::kPause : Step::kAgain;
  }
  if (broken_) {
    position_.reset();
    return Failed(*broken_);
  }
  if (answer && answer->status != net::http_status::kOk) return Judge(*answer, "watch");
  if (answer && at_once) return Step::kPause;  // with growing pauses
  if (!listened) return answer ? Step::kPause : Failed(answer.error());
  backoff_.Reset();
  failures_ = 0;
  refused_ = false;
  if (answer) return Step::kAgain;
  ++failures_;  // the connection was cut, as load balancers do; reported only if no new watch begins
  return Step::kPause;
}

// Handles a status other than 200.
KubeFollower::Step KubeFollower::Judge(const net::FetchAnswer& answer, std::string_view verb) {
  const Error error = ExplainKubeStatus(answer, verb, object_, *access_);
  least_pause_ms_ = RetryAfterMs(answer);
  if (IsKubeTrouble(answer.status)) return Failed(error);
  // A server that has just started refuses what it allows a moment later, when it has read who may do what.
  if (!std::exchange(refused_, true)) {
    backoff_.Reset();
    return Step::kPause;
  }
  if (report_) report_(error);
  return Step::kGiveUp;
}

// A temporary failure. Reported from the second time on: a server may be away for a moment while it is replaced.
KubeFollower::Step KubeFollower::Failed(const Error& error) {
  if (++failures_ > 1 && report_) report_(error);
  return Step::kPause;
}

// Returns false when nothing more needs to be read.
bool KubeFollower::ReadEvents(KubeWatchReader& reader, std::string_view piece) {
  for (const KubeEvent& event : reader.Feed(piece)) {
    if (event.kind == KubeEvent::Kind::kGone) gone_ = true;
    if (event.kind == KubeEvent::Kind::kError) broken_ = event.error;
    if (event.kind == KubeEvent::Kind::kState || event.kind == KubeEvent::Kind::kBookmark) {
      position_ = event.state.resource_version;
    }
    if (event.kind == KubeEvent::Kind::kState && fingerprint_ != event.state.fingerprint) {
      fingerprint_ = event.state.fingerprint;
      changed_ = true;
    }
  }
  return !changed_ && !reader.ended();
}

bool KubeFollower::ShouldStop() {
  stopped_ = stopped_ || !ports_.clock.Wait(0);
  return stopped_;
}

// Waits for a random time, so that nodes don't all read the source at once, and many changes together cause one round.
bool KubeFollower::Settle() {
  constexpr std::int64_t kLeastMs = 500;
  constexpr std::uint32_t kSpreadMs = 1000;
  return ports_.clock.Wait(kLeastMs + static_cast<std::int64_t>(random_() % kSpreadMs));
}

}  // namespace prov::source
