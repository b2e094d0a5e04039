// Requests a reboot once per boot, from Windows or from the operator that drains this node; or waits until the cluster
// has drained it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "provisioner/node/node_reporting.h"
#include "provisioner/node/open_node.h"

namespace prov::node {

// What the Node of this machine says of reboots.
struct NodeReboots {
  bool operator_asked = false;  // a request to the operator is open
  // The boot in which the node was drained and may restart; "": none, or it is not cordoned, so pods may have come.
  std::string approved;
};

// Port: who drains nodes. The Windows Machine Config Operator does so one after another, and restarts them; an
// annotation of the Node requests it. Elsewhere a coordinator does it, and approves the restart by another.
// fleet/operator_reboot.h implements it.
class DrainOperator {
 public:
  virtual ~DrainOperator() = default;
  // Errors: those of the cluster's API.
  virtual Result<NodeReboots> Read() = 0;
  // Asks the operator. Errors: those of the cluster's API.
  virtual Result<void> Request() = 0;
};

// Requests a needed reboot by the chosen method, once in each boot; the outcome is a finding. Needs a begun run. A
// request to Windows is recorded before it is made, so that a program killed in between does not reboot the node twice.
// A request to the operator is recorded afterwards: repeating it is harmless, and none is lost. `drains` is null if
// this machine is not a known Node; only RebootMethod::kNow does without. RebootMethod::kDrain asks Windows once the
// Node approves a reboot of this very boot. Errors: those of the ports and of `drains`; the next call tries again.
Result<void> RequestChosenReboot(OpenNode& node, const RebootChoice& choice, DrainOperator* drains, Findings& findings);

// What a node with RebootMethod::kDrain tells the coordinator.
struct DrainWish {
  std::string boot;
  bool waits = false;  // a reboot is due, and may happen now: the window is open, no trial runs, none was requested
  bool asked = false;  // Windows was asked in this boot

  bool operator==(const DrainWish&) const = default;
};
// nullopt: another method. Reads only.
Result<std::optional<DrainWish>> DrainWishOf(OpenNode& node, const RebootChoice& choice);

// The same between rounds, with the machine closed.
class RoundReboots {
 public:
  RoundReboots(machine::Host& host, const RebootChoice& choice, DrainOperator* drains)
      : host_(host), choice_(choice), drains_(drains) {}

  // Does not hold the lock while a reboot waits for its window or its approval, or was requested. Repeats a failed
  // request after five minutes. Errors: those of RequestChosenReboot; target (the request has no effect).
  Result<void> RequestWhenDue();

 private:
  Result<void> Request();

  machine::Host& host_;
  RebootChoice choice_;
  DrainOperator* drains_;
  std::int64_t not_before_ = 0;  // Unix time
};

}  // namespace prov::node
