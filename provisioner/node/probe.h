// Probe: whether requests get through with the new settings, and whether somebody confirms a trial.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/node/apply.h"

namespace prov::node {

struct ProbeOptions {
  int timeout_seconds = 10;          // of one request
  std::int64_t total_seconds = 120;  // of all of them
  pki::StorePolicy store = {};       // certificates that nodes leave out (WhyUntrusted) are not trusted here, either
};

struct Probed {
  std::string url;            // without credentials
  std::string via;            // the proxy's URL without credentials, or "direct"
  std::optional<int> status;  // of the answer, if there was one
  std::optional<Error> error;
  int tries = 0;

  bool ok() const { return !error.has_value(); }
};

// Errors: usage (a URL that is none of http or https, or has credentials).
Result<void> CheckProbeUrls(const std::vector<std::string>& urls);

// What the settings lead to when a Go client requests each URL: through the proxy that its scheme and NO_PROXY pick,
// with the source's certificates beside nothing else where it has some. An answer below 400 is good. What may pass by
// itself is tried up to three times, a second apart. One result for each URL, in their order. Findings: probe-trust
// (info: no certificates of the source's, so those of the system counted), probe-digest. Errors: those of
// CheckProbeUrls() (then nothing was requested), no-proxy.
Result<std::vector<Probed>> Probe(net::Http& http, Clock& clock, const egress::EgressConfig& config,
                                  const std::vector<std::string>& urls, const ProbeOptions& options,
                                  Findings& findings);

// Probe() for who needs all of them to be good: ends with the first that is not. Findings: also probe (info, one for
// each). Errors: also those of the first failure.
Result<void> ProbeAll(machine::Host& host, const egress::EgressConfig& config, const std::vector<std::string>& urls,
                      const ProbeOptions& options, Findings& findings);

// Waits for the end of the open trial, looking once a second; the machine must not be open. Whether it was confirmed:
// false when its time is over or somebody took it back.
Result<bool> AwaitConfirmation(machine::Host& host);

}  // namespace prov::node
