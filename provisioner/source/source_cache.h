// What a process that reads its source repeatedly keeps from the last reading: enough to detect changes, and the
// result, but none of the answers.
#pragma once

#include <string>
#include <vector>

#include "ignition/fetcher.h"
#include "provisioner/egress/egress_config.h"

namespace prov::source {

// A resource that a config referred to and that was fetched.
struct Fetched {
  ignition::FetchOrder order;
  std::string etag;
  std::string digest;  // SHA-256 of the body
};

struct SourceCache {
  std::string key = {};     // identifies the source: source, pool and name; "": none was read yet
  std::string etag = {};    // of the document itself; "" if the server sends none
  std::string digest = {};  // SHA-256 of the document
  std::vector<Fetched> references = {};
  egress::EgressConfig config = {};
};

}  // namespace prov::source
