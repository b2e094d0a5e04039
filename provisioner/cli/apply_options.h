// The options of commands that apply settings to a machine, and how such a command ends.
#pragma once

#include "provisioner/cli/options.h"
#include "provisioner/node/apply.h"
#include "provisioner/node/node_reporting.h"
#include "provisioner/reconcile/report.h"

namespace prov::cli {

// --allow-downgrade of `plan`, `service` and the commands with ApplyOptionSpecs().
OptionSpec AllowDowngradeOption();

// --allow-shrink of `plan` and the commands with ApplyOptionSpecs().
OptionSpec AllowShrinkOption();

// --exit-style of `reconcile` and the commands with ApplyOptionSpecs().
OptionSpec ExitStyleOption();

// --allow-empty of `bake`, `apply` and `first-boot`.
OptionSpec AllowEmptyOption();
// Whether to refuse a source that sets nothing on a machine. A source on a network is not refused: it is the cluster's
// own statement.
bool RefusesEmpty(const Arguments& arguments);

// --reboot, its related options, and --exit-style of `apply`, `first-boot` and `reconcile --once`.
OptionGroup ApplyOptionSpecs();
struct Ending {
  node::NodeReporting reporting;  // the part that applies to this run
  int reboot_exit = 0;            // exit code for "done, reboot needed"
};
Result<Ending> ParseEnding(const Arguments& arguments);
Result<node::ApplyOptions> ParseApplyOptions(const Arguments& arguments);

// Requests a reboot if one is needed and chosen. Returns the exit code.
Result<int> End(node::OpenNode& node, const Ending& ending, reconcile::RunReport& report);

}  // namespace prov::cli
