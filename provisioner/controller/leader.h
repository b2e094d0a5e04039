// Which of several controllers writes: the holder of a Lease (coordination.k8s.io/v1), as Kubernetes' own do it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "provisioner/base/clock.h"
#include "provisioner/source/kube_client.h"

namespace prov::controller {

// A second holder does no harm, because each write names the version that it is about. The Lease keeps two from taking
// turns with the same work.
class Leader {
 public:
  static constexpr std::int64_t kLeaseSeconds = 15;
  static constexpr std::int64_t kRenewSeconds = 5;  // how often Hold() is to be called

  // `identity`: of this process, different from every other.
  Leader(source::KubeObject lease, std::string identity, Clock& clock)
      : lease_(std::move(lease)), identity_(std::move(identity)), clock_(clock) {}

  // Takes or renews the Lease. False: another holds it, or another wrote it meanwhile. The clocks of two machines are
  // not compared: a Lease has ended if it did not change for its duration by the own clock. Errors: those of
  // KubeClient; json, type.
  Result<bool> Hold(source::KubeClient& client);
  // Gives the Lease back, so that another need not wait for its end. Asks the server once for each of its two requests,
  // also when this program was asked to stop: that is when it is called. Errors: those of Hold().
  Result<void> Release(const source::KubeAccess& access, net::Http& http);

 private:
  struct Seen {
    std::string holder, renewed;
    bool operator==(const Seen&) const = default;
  };
  struct Read;
  Result<Read> Get(source::KubeClient& client) const;
  Result<bool> Write(source::KubeClient& client, const Read& read, const std::string& holder,
                     std::int64_t changes) const;

  source::KubeObject lease_;
  std::string identity_;
  Clock& clock_;
  std::optional<Seen> seen_;
  std::int64_t seen_at_ = 0;  // Unix time since which it has not changed
  bool holds_ = false;
};

}  // namespace prov::controller
