// Fetches one document from a server: retries while that can help, within bounds, and explains a failure in a sentence.
// When Ignition waits and retries: docs/openshift.md#machine-config-server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/source/source.h"

namespace prov::source {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct RemoteRequest {
  std::string url;                 // https://, or http:// where the caller knows a hash; no
                                   // credentials in it
  Headers headers = {};            // for every server that is asked
  Headers own_headers = {};        // for the first one only: a redirect to another server loses them
  std::vector<std::string> roots;  // DER; none: what the system trusts
  std::optional<Secret> proxy_url = {};
  bool follow = true;  // redirects, from https to https, a few
  std::uint64_t most_bytes = 256ULL << 20U;
  int answer_seconds = 10;                       // as FetchRequest
  bool has_digest = false;                       // as FetchRequest
  std::string (*explain)(int status) = nullptr;  // what ExplainStatus() says of any server, said of this one; "":
                                                 // nothing
};

// How long to wait for a document.
struct Patience {
  int total_seconds = 60;  // for everything, waiting included
  int retry_seconds = 10;  // until then a failed try is followed by another one

  // Of a request that says so itself: as long as that, and trying again all the
  // while.
  static Patience Of(const SourceRequest& request);
};

// An answer with status 200, or 304 where a header of the request asked for
// that. Network errors and statuses from 500 on are tried again, after 200 ms
// and then twice as long each time, up to 5 s. Errors: network, tls, not-found,
// too-large, scheme, kind (see CheckBody()); their `where` is the URL as
// messages may show it.
Result<net::FetchAnswer> Ask(const RemoteRequest& request, const Patience& patience, const SourcePorts& ports);

// The same for one of several documents of a source, within what is left of the time for all of them.
Result<net::FetchAnswer> Ask(const RemoteRequest& request, Patience patience, const SourcePorts& ports,
                             SourceTime& time);

// What a status other than 200 means and what to do about it.
std::string ExplainStatus(int status);

// Whether this can be a document at all: the error kind if it is empty, an HTML page or compressed. Its reader decides
// what it is.
Result<void> CheckBody(const net::FetchAnswer& answer, const std::string& where);

}  // namespace prov::source
