// Fetches from servers what Ignition configs refer to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ignition/fetcher.h"
#include "provisioner/source/remote_request.h"
#include "provisioner/source/source_cache.h"

namespace prov::source {

// The trust for servers that a config without certificateAuthorities refers to.
struct Trust {
  std::vector<std::string> roots;  // DER
  bool system = false;             // without roots: what the system trusts; else nothing
};

// https:// by the CAs of the config, else by the trust given here; http:// only
// where the config has a hash. Everything else, and https:// that nothing is
// trusted for, is merge-remote or remote-source. ignition.proxy counts unless
// the request has a proxy of its own, ignition.timeouts within the patience of
// the request. Redirects from https to https are followed and lose the config's
// headers when they lead to another server. Errors: those of Ask(), cert,
// proxy-url.
class HttpFetcher final : public ignition::Fetcher {
 public:
  // `time` is that of the source, whose own document may have taken some of it.
  HttpFetcher(const SourceRequest& request, Trust trust, const SourcePorts& ports, SourceTime& time)
      : request_(request), trust_(std::move(trust)), ports_(ports), time_(time) {}

  Result<std::string> Fetch(const ignition::FetchOrder& order) override;

  // All that was fetched, in order, if the ports have a cache for it.
  const std::vector<Fetched>& fetched() const { return fetched_; }

  // Whether those things are unchanged on the server; their new entity tags are added to `known`. What is fetched for
  // this check is reused if something has changed.
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
