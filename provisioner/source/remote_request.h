// Fetches one document from a server: retries within limits, and explains a failure in a sentence. When Ignition waits
// and retries: docs/openshift.md#machine-config-server.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/source/source.h"

namespace prov::source {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct RemoteRequest {
  std::string url;                 // https://, or http:// if the caller knows a hash; without credentials
  Headers headers = {};            // for every server, redirects included
  Headers own_headers = {};        // for the first server only: a redirect to another one loses them
  std::vector<std::string> roots;  // DER; empty: the system's are trusted
  std::optional<Secret> proxy_url = {};
  bool follow = true;  // a few redirects, from https to https
  std::uint64_t most_bytes = 256ULL << 20U;
  int answer_seconds = 10;                       // as in FetchRequest
  bool has_digest = false;                       // as in FetchRequest
  std::string (*explain)(int status) = nullptr;  // replaces ExplainStatus() for this server; "": no explanation
};

// Makes the request within the time that is left, and within `most_seconds`. The answer has status 200, or 304 if a
// header of the request asked for that. Network errors and statuses from 500 on are tried again, after 200 ms and then
// twice as long each time, up to 5 s. Errors: network, tls, not-found, too-large, scheme, kind (see CheckBody()); their
// `where` is the redacted URL.
Result<net::FetchAnswer> Ask(const RemoteRequest& request, const SourcePorts& ports, SourceTime& time,
                             int most_seconds = kLongestTimeout);

// The meaning of a status other than 200, with a remedy.
std::string ExplainStatus(int status);

// Checks whether this can be a document at all. Errors: kind if it is empty, an HTML page or compressed. Its reader
// decides what it is.
Result<void> CheckBody(const net::FetchAnswer& answer, const std::string& where);

}  // namespace prov::source
