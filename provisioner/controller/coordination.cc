#include "provisioner/controller/coordination.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/json_writer.h"

namespace prov::controller {
namespace {

constexpr std::int64_t kStepMs = 2000;
constexpr std::int64_t kLongestStepMs = 8000;  // the Lease lasts longer
constexpr std::int64_t kStepMsForNode = 20;
constexpr std::int64_t kLeaseWait = Leader::kLeaseSeconds + 5;  // seconds, for one that was killed
constexpr std::int64_t kSilence = 600;                          // seconds
constexpr std::int64_t kRefusal = 120;                          // seconds

}  // namespace

CoordinatorLease::CoordinatorLease(std::string name_space, std::string name, std::string identity, std::string what,
                                   Clock& clock)
    : name_space_(std::move(name_space)),
      name_(std::move(name)),
      what_(std::move(what)),
      clock_(clock),
      leader_(source::LeaseObject(name_space_, name_), std::move(identity), clock) {}

Result<bool> CoordinatorLease::Hold(source::KubeClient& client, bool began) {
  if (!RenewalIsDue()) return true;
  Result<bool> held = leader_.Hold(client);
  if (!held && held.error().code == Code::kNotFound) {
    PROV_TRY(Make(client));
    held = leader_.Hold(client);
  }
  // The answer to a renewal that arrived may have been lost, and its repetition was a conflict then.
  if (held && !*held && began) held = leader_.Hold(client);
  if (!PROV_TRY(held)) {
    // One that was killed renews it no more.
    const std::int64_t now = clock_.NowUnix();
    if (!began && waits_since_ == 0) waits_since_ = now;
    if (!began && now - waits_since_ <= kLeaseWait) return false;
    return Fail(Code::kLock, fmt::format("another coordinator has {}; wait until it ends", what_),
                fmt::format("lease {}/{}", name_space_, name_));
  }
  next_renewal_ = clock_.NowUnix() + Leader::kRenewSeconds;
  return true;
}

void CoordinatorLease::Release(const source::KubeAccess& access, net::Http& http) {
  [[maybe_unused]] const auto released = leader_.Release(access, http);
}

Result<void> CoordinatorLease::Make(source::KubeClient& client) const {
  JsonWriter json;
  json.BeginObject().Member("apiVersion", "coordination.k8s.io/v1").Member("kind", "Lease").Key("metadata");
  json.BeginObject().Member("name", name_).Member("namespace", name_space_).EndObject();
  return client.Create(source::LeaseObject(name_space_, ""), json.EndObject().OneLine());
}

// Also after the clock was set back.
bool CoordinatorLease::RenewalIsDue() const {
  const std::int64_t now = clock_.NowUnix();
  return now >= next_renewal_ || next_renewal_ - now > Leader::kRenewSeconds;
}

bool Patience::Has(const Error& error, bool was_refused, std::int64_t now) const {
  return error.code == Code::kNetwork && now - answered_ < (was_refused ? kRefusal : kSilence);
}

std::int64_t StepPauseMs(std::size_t nodes) {
  return std::clamp(static_cast<std::int64_t>(nodes) * kStepMsForNode, kStepMs, kLongestStepMs);
}

}  // namespace prov::controller
