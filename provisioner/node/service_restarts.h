// Restarts of services after a run. A running service keeps the environment that it was started with until it starts
// again, so a run restarts such services or reports them. Restarts that are still to be made are remembered in the
// section "restart" of the state record, with the boot in which they are needed.
#pragma once

#include "provisioner/node/open_node.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/plan.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

// Adds the running services to which `plan` gives another environment, as a section of the run. If the run ends before
// it restarted them, the next one does. Without such services there is no section.
Result<void> PlanRestarts(OpenNode& node, const reconcile::Plan& plan, reconcile::Sections& sections);

// After a run: with `restart`, restarts the running services whose environment it changed; otherwise reports them.
// Restarts that an earlier run of the same boot left over are made in any case.
Result<void> RestartOrReportServices(OpenNode& node, bool restart, reconcile::RunReport& report);

}  // namespace prov::node
