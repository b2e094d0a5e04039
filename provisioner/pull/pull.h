// Makes the requests with which containerd pulls an image, so far that it is known whether the image arrives: of layers
// only the first byte is read, and nothing is stored.
// Facts: docs/registries.md#the-requests-of-a-pull.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/clock.h"
#include "provisioner/base/error.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/net/http.h"
#include "provisioner/pull/manifest.h"
#include "provisioner/pull/pull_secret.h"
#include "provisioner/pull/purpose.h"
#include "provisioner/registries/endpoints.h"

namespace prov::pull {

struct PullOptions {
  Platform platform;
  const PullSecret* logins = nullptr;
  std::vector<std::string> roots;  // DER; empty: those of this system
  bool of_machine = false;         // as in net::HttpRequest
  int timeout_seconds = 10;        // for one request
  std::int64_t total_seconds = 300;
};

// One request. A redirect is two: the second has the URL to which the first led.
struct Step {
  Purpose purpose = Purpose::kPing;
  std::string url;   // without a query
  std::string host;  // without its port
  unsigned port = 0;
  std::string via;            // the proxy's URL without credentials, or "direct"
  std::optional<int> status;  // of the answer, if there was one
  std::optional<Error> error;
  std::string redirected_to = {};  // without a query
  std::string of_entry = {};       // "windows/amd64 10.0.20348.1": the entry of the index that a manifest is of

  bool ok() const { return !error.has_value(); }
};

// An endpoint that did not give what was asked for, and the reason at its first failure.
struct EndpointFailure {
  std::string endpoint;  // its URL
  Error error;           // `where`: the URL of the request, which may be at a token service or storage
};

struct Pulled {
  std::string image;
  std::string endpoint;  // whose answer said which digest the image has; "": none did
  std::string digest;
  std::vector<Step> steps;           // in their order
  std::vector<std::string> sources;  // endpoints that gave an object, each once
  bool used_login = false;           // a login was sent
  std::optional<Error> error;        // why the image does not arrive
  // In their order. Of an image that arrives: others gave in their place what they did not.
  std::vector<EndpointFailure> failures;
  std::string note;      // what else a reader should know, e.g. that a mirror is not asked for tags; "": nothing
  bool reached = false;  // a server of a registry, a token or a layer answered

  bool arrives() const { return !error.has_value(); }
};

// Pulls one image. A login goes to the hosts of the image's own endpoints and to the token services that these name,
// never to a host that a redirect names. Errors: no-proxy.
Result<Pulled> Pull(net::Http& http, Clock& clock, const egress::EgressConfig& config,
                    const registries::ImageEndpoints& image, const PullOptions& options);

}  // namespace prov::pull
