// Probes as commands make and print them.
#pragma once

#include <string>
#include <vector>

#include "provisioner/base/json_writer.h"
#include "provisioner/cli/command.h"
#include "provisioner/node/probe.h"

namespace prov::cli {

// --probe and --probe-timeout.
std::vector<OptionSpec> ProbeOptionSpecs();

struct ProbeRequests {
  std::vector<std::string> urls;
  int timeout_seconds = 10;  // of each
};
// Errors: usage.
Result<ProbeRequests> ParseProbes(const Arguments& arguments);

// Makes the requests of --probe; none of them unless `settings_are_valid`, since nobody can use settings that aren't
// (finding probe-skipped). By `policy` certificates are left out, as on nodes. Errors: usage (a malformed URL),
// no-proxy; a failed probe is none.
Result<std::vector<node::Probed>> RunProbes(const ProbeRequests& requests, machine::Host& host,
                                            const egress::EgressConfig& config, const pki::StorePolicy& policy,
                                            bool settings_are_valid, Findings& findings);

// 0, or that of a failed probe.
int ExitOf(const std::vector<node::Probed>& probes);

// `"probes": [{"url","via","ok","status","error",...}]` as a member of the open object.
void WriteProbes(JsonWriter& json, const std::vector<node::Probed>& probes);
// A line for each, and one more for each failure, safe for a terminal.
std::string ProbeText(const std::vector<node::Probed>& probes);

}  // namespace prov::cli
