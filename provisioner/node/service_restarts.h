// Running services have the environment that they were started with, until they start again: which of them are
// restarted after a run, and which are only named. A restart that a killed run owes is remembered in the section
// "restart" of the state record, with the boot that it is owed in.
#pragma once

#include "provisioner/node/apply.h"

namespace prov::node {

// The running services to which `plan` gives another environment, as a section of the run that does so: if that ends
// before they are restarted, the next one restarts them. None: no section.
Result<void> PlanRestarts(OpenNode& node, const reconcile::Plan& plan, reconcile::Sections& sections);

// After a run: with `restart`, restarts the running services whose environment it changed, else tells of them. Those
// that an earlier run of the same boot left behind are restarted in any case.
Result<void> RestartOrReportServices(OpenNode& node, bool restart, reconcile::SessionReport& report);

}  // namespace prov::node
