// Requests a reboot once per boot, from Windows or from the operator that drains this node.
#pragma once

#include <cstdint>
#include <functional>

#include "provisioner/node/apply.h"
#include "provisioner/node/node_reporting.h"

namespace prov::node {

enum class RebootAnswer {
  kNotNeeded,
  kRequested,        // by this call
  kRequestedBefore,  // earlier in this boot, by this or the other method
};

// Whether a reboot is needed and none was requested in this boot. Reads only. Errors: those of the ports.
Result<bool> RebootIsDue(OpenNode& node);

// If a reboot is needed and none was requested since the last boot, calls `ask`. A request to Windows is recorded
// before it is made, so that a program killed in between does not reboot the node twice. A request to others is
// recorded afterwards: repeating it is harmless, and none is lost. Errors: those of `ask`, which the next call tries
// again, and of the ports.
Result<RebootAnswer> RequestReboot(OpenNode& node, RebootMethod method, const std::function<Result<void>()>& ask);

// Port: the Windows Machine Config Operator, which drains and reboots the nodes of its cluster one after another. An
// annotation of the Node requests it. fleet/operator_reboot.h implements it.
class DrainOperator {
 public:
  virtual ~DrainOperator() = default;
  // Whether a request is open. Errors: those of the cluster's API.
  virtual Result<bool> IsRequested() = 0;
  // Errors: those of the cluster's API.
  virtual Result<void> Request() = 0;
};

// Requests a needed reboot by the chosen method, once in each boot; the outcome is a finding. `drains` is null if this
// machine is not a known Node; RebootMethod::kAnnotate needs it. Errors: those of the ports and of `drains`.
Result<void> RequestChosenReboot(OpenNode& node, const RebootChoice& choice, DrainOperator* drains, Findings& findings);

// The same between rounds, with the machine closed.
class RoundReboots {
 public:
  RoundReboots(machine::Host& host, const RebootChoice& choice, DrainOperator* drains)
      : host_(host), choice_(choice), drains_(drains) {}

  // Does not hold the lock while a reboot waits for its window or was requested. Repeats a failed request after five
  // minutes. Errors: those of RequestChosenReboot; target (the request has no effect).
  Result<void> RequestWhenDue();

 private:
  Result<void> Request();

  machine::Host& host_;
  RebootChoice choice_;
  DrainOperator* drains_;
  std::int64_t not_before_ = 0;  // Unix time
};

}  // namespace prov::node
