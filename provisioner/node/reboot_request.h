// Requests a reboot once per boot, from Windows or from the operator that drains this node.
#pragma once

#include <cstdint>

#include "provisioner/node/node_reporting.h"
#include "provisioner/node/open_node.h"

namespace prov::node {

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

// Requests a needed reboot by the chosen method, once in each boot; the outcome is a finding. Needs a begun run. A
// request to Windows is recorded before it is made, so that a program killed in between does not reboot the node twice.
// A request to the operator is recorded afterwards: repeating it is harmless, and none is lost. `drains` is null if
// this machine is not a known Node; RebootMethod::kAnnotate needs it. Errors: those of the ports and of `drains`; the
// next call tries again.
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
