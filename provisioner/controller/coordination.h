// What coordinators that a person runs have in common: one of a kind runs at a time, and a silence of the API server is
// waited for.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/base/error.h"
#include "provisioner/controller/leader.h"
#include "provisioner/source/kube_access.h"

namespace prov::controller {

// A Lease in the namespace of the fleet's pods, which the first coordinator makes.
class CoordinatorLease {
 public:
  // `identity`: as for Leader; `what`: what the others have, for the error.
  CoordinatorLease(std::string name_space, std::string name, std::string identity, std::string what, Clock& clock);

  // Takes it, and renews it when that is due. False: another holds it, perhaps not much longer. `began`: this process
  // has acted already, so it does not wait. Errors: lock; those of Leader::Hold and KubeClient::Create.
  Result<bool> Hold(source::KubeClient& client, bool began);
  // Else it ends by itself.
  void Release(const source::KubeAccess& access, net::Http& http);

 private:
  Result<void> Make(source::KubeClient& client) const;
  bool RenewalIsDue() const;

  std::string name_space_, name_, what_;
  Clock& clock_;
  Leader leader_;
  std::int64_t next_renewal_ = 0;  // Unix time
  std::int64_t waits_since_ = 0;   // the same: for a Lease that another holds
};

// For how long failures of the API server are waited for: ten minutes without an answer, two while it forbids
// something, as it may after it was restarted.
class Patience {
 public:
  explicit Patience(std::int64_t now) : answered_(now) {}

  void NoteAnswer(std::int64_t now) { answered_ = now; }
  bool Has(const Error& error, bool was_refused, std::int64_t now) const;

 private:
  std::int64_t answered_;  // Unix time of the last answer
};

// Milliseconds between two steps, each of which lists all nodes: that costs the API server as much as there are.
std::int64_t StepPauseMs(std::size_t nodes);

}  // namespace prov::controller
