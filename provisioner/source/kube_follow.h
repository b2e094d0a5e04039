// Waits for a kube:// source to change: lists it, watches it from there, and resumes the watch after each interruption.
// Changes that can't be watched are left to the next round.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_client.h"
#include "provisioner/source/kube_watch.h"

namespace prov::source {

class KubeFollower {
 public:
  // `report` gets the errors that keep the watch from working, also when the same one repeats.
  KubeFollower(const SourcePorts& ports, std::function<void(const Error&)> report,
               KubeEnvironment environment = ThisProcess(), KubeBackoff::Random random = KubeRandom)
      : ports_(ports),
        report_(std::move(report)),
        environment_(std::move(environment)),
        random_(random),
        backoff_(kFirstPauseMs, kLongestPauseMs, std::move(random)) {}

  // Call this before a source is read: a change after this call ends the next Wait(). Does not watch sources other than
  // kube://, nor MachineConfigs by name, which never change.
  void Follow(const SourceRequest& request);

  // The same for one Secret or ConfigMap, without a source. Its changes are those of its data and labels.
  void FollowObject(KubeAccess access, const KubeObject& object);

  // Returns when the source has changed, at the latest after `milliseconds` (for a Proxy: after a minute). Returns
  // false as soon as this program is asked to stop, even while the server sends nothing.
  bool Wait(std::int64_t milliseconds);

  // Whether the object was watched without a gap until the last Wait() ended, and is unchanged, so that reading it
  // again would give the same. Never true for a Proxy, because not all of its objects are watched.
  bool IsCurrent() const { return current_; }

  static constexpr std::int64_t kFirstPauseMs = 1000;
  static constexpr std::int64_t kLongestPauseMs = 30'000;
  // The watch is restarted after this time, so that a connection that died silently is noticed.
  static constexpr std::int64_t kLongestWatchSeconds = 290;
  // The ConfigMaps that a Proxy or a HostedCluster names are not watched; their changes are found after this time.
  static constexpr std::int64_t kLongestUnseenMs = 60'000;

 private:
  enum class Step { kChanged, kAgain, kPause, kGiveUp, kStopped };
  struct Seen {
    std::string source, kubeconfig, pool, name;
    bool operator==(const Seen&) const = default;
  };

  Step FindPosition();
  Step Watch(std::int64_t seconds);
  Step AfterWatch(const Result<net::FetchAnswer>& answer, bool listened, bool at_once);
  Step Judge(const net::FetchAnswer& answer, std::string_view verb);
  Step Failed(const Error& error);
  bool ReadEvents(KubeWatchReader& reader, std::string_view piece);
  bool ShouldStop();
  bool Settle();

  SourcePorts ports_;
  std::function<void(const Error&)> report_;
  KubeEnvironment environment_;
  KubeBackoff::Random random_;
  KubeBackoff backoff_;

  Seen following_;
  std::optional<KubeAccess> access_;
  KubeKind kind_ = KubeKind::kPool;
  KubeObject object_;
  std::optional<std::string> position_;     // resource version to watch from
  std::optional<std::string> fingerprint_;  // of the object when the source was last read
  std::int64_t least_pause_ms_ = 0;         // requested by the server
  int failures_ = 0;                        // consecutive ones
  bool refused_ = false;                    // by a status that no later try should change, since the last success
  bool changed_ = false, gone_ = false, stopped_ = false, current_ = false;
  std::optional<Error> broken_;  // the server's malformed answer
};

}  // namespace prov::source
