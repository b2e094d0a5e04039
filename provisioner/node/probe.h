// Probe: tests whether requests succeed with the new settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/egress/egress_config.h"
#include "provisioner/machine/host.h"
#include "provisioner/pki/trust_store.h"

namespace prov::node {

struct ProbeOptions {
  int timeout_seconds = 10;          // for one request
  std::int64_t total_seconds = 120;  // for all requests together
  pki::TrustedDigests trusted = {};  // certificates that nodes leave out (WhyUntrusted) are not trusted here, either
};

struct Probed {
  std::string url;            // without credentials
  std::string via;            // the proxy's URL without credentials, or "direct"
  std::optional<int> status;  // of the response, if there was one
  std::optional<Error> error;
  int tries = 0;

  bool ok() const { return !error.has_value(); }
};

// Errors: usage (a URL that is neither http nor https, or that has credentials).
Result<void> CheckProbeUrls(const std::vector<std::string>& urls);

// Requests each URL as a Go client with these settings would: through the proxy that its scheme and NO_PROXY select,
// trusting only the source's certificates if it has any; with the settings that are set on this machine
// (kMachineKind), what the machine trusts. A status below 400 is a success. A failure that may be
// temporary is tried up to three times, a second apart. Returns one result for each URL, in order. Findings:
// probe-trust (info: the source has no certificates, so those of the system were used), probe-digest. Errors: those of
// CheckProbeUrls() (then nothing was requested), no-proxy.
Result<std::vector<Probed>> Probe(net::Http& http, Clock& clock, const egress::EgressConfig& config,
                                  const std::vector<std::string>& urls, const ProbeOptions& options,
                                  Findings& findings);

// Probe() for callers that need every URL to succeed: stops at the first failure. Findings: also probe (info, one for
// each URL). Errors: also those of the first failure.
Result<void> ProbeAll(machine::Host& host, const egress::EgressConfig& config, const std::vector<std::string>& urls,
                      const ProbeOptions& options, Findings& findings);

}  // namespace prov::node
