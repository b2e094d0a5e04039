// The options for the rounds of a node, and for what it does besides them: reports to its cluster, metrics, reboots.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "provisioner/cli/options.h"
#include "provisioner/node/node_reporting.h"
#include "provisioner/node/service_loop.h"

namespace prov::cli {

OptionGroup ClusterNodeOptionSpecs();  // --node, --node-kubeconfig
OptionGroup RebootOptionSpecs();       // --reboot, --reboot-window
OptionSpec ApprovalOption();
OptionSpec MetricsOption();
OptionGroup ReportingOptionSpecs();  // all of these

// --interval SECONDS; nullopt: it was not given. Errors: usage.
OptionSpec IntervalOption();
Result<std::optional<std::int64_t>> ParseInterval(const Arguments& arguments,
                                                  std::int64_t longest = node::kLongestInterval);

// --metrics; "": not given. Errors: usage.
Result<std::string> ParseMetrics(const Arguments& arguments);
// Checks that --reboot-window goes with --reboot, and that with this --interval some round falls into the window.
// nullopt: not given. Errors: usage.
Result<std::optional<node::MaintenanceWindow>> CheckRebootWindow(const Arguments& arguments);

// The values of all options but --metrics: the Node, and the reboot that a run may need. Errors: usage.
Result<node::NodeReporting> ParseReboot(const Arguments& arguments);
// The values of all options. A command may have only some of them. Errors: usage.
Result<node::NodeReporting> ParseReporting(const Arguments& arguments);
// The same with absolute paths; nullopt: none of the options was given. `with_reboot`: --reboot applies to each round,
// not to this run alone. Errors: usage, io.
Result<std::optional<node::NodeReporting>> GivenReporting(const Arguments& arguments, bool with_reboot);

}  // namespace prov::cli
