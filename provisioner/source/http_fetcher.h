// Fetches from servers the resources that Ignition configs refer to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ignition/fetcher.h"
#include "provisioner/source/remote_request.h"

namespace prov::source {

// The trust for servers, used for references of a config without certificateAuthorities.
struct Trust {
  std::vector<std::string> roots;  // DER
  bool system = false;             // used without roots: trust the system's; otherwise trust none
};

// Verifies https:// with the CAs of the config, else with the given trust; allows http:// only if the config has a
// hash. Everything else, and https:// without any trust, is merge-remote or remote-source. Uses ignition.proxy unless
// the request has a proxy of its own, and ignition.timeouts within the time of the request. Follows redirects from
// https to https; they lose the config's headers when they lead to another server. Errors: those of Ask(), cert,
// proxy-url.
class HttpFetcher final : public ignition::Fetcher {
 public:
  // `time` is the source's; its own document may have used a part of it.
  HttpFetcher(const SourceRequest& request, Trust trust, const SourcePorts& ports, SourceTime& time)
      : request_(request), trust_(std::move(trust)), ports_(ports), time_(time) {}

  Result<std::string> Fetch(const ignition::FetchOrder& order) override;

  // All resources that were fetched, in order, if the ports have a cache.
  const std::vector<Fetched>& fetched() const { return fetched_; }

  // Whether these resources are unchanged on the server. Adds their new entity tags to `known`. If something has
  // changed, the answers fetched here are reused.
  Result<bool> StillSame(std::vector<Fetched>& known);

 private:
  Result<net::FetchAnswer> Ask(const ignition::FetchOrder& order, const std::string& etag);

  const SourceRequest& request_;
  Trust trust_;
  SourcePorts ports_;
  SourceTime& time_;
  std::vector<Fetched> fetched_;
  std::map<std::string, net::FetchAnswer> fresh_;  // by KeyOf()
};

}  // namespace prov::source
