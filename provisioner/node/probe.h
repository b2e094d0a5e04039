// Probe: whether requests get through with the new settings, and whether somebody confirms a trial.
#pragma once

#include <string>
#include <vector>

#include "provisioner/node/apply.h"

namespace prov::node {

// Requests each URL as a Go client with these settings would: through the proxy that its scheme and NO_PROXY pick, with
// the source's certificates beside nothing else where it has some. An answer below 400 is good. Each URL is tried up to
// three times. Findings: probe (info). Errors: usage (no URL), network, tls: the first that fails.
Result<void> ProbeAll(machine::Host& host, const egress::EgressConfig& config, const std::vector<std::string>& urls,
                      Findings& findings);

// Waits for the end of the open trial, looking once a second; the machine must not be open. Whether it was confirmed:
// false when the time is over or somebody took it back.
Result<bool> AwaitConfirmation(machine::Host& host, std::int64_t seconds);

}  // namespace prov::node
