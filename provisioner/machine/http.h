// Port: one request through a proxy, for finding out whether egress settings work.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"

namespace prov::machine {

struct HttpRequest {
  std::string url;                  // http:// or https://
  std::optional<Secret> proxy_url;  // with its credentials; nullopt: direct
  std::vector<std::string> roots;   // DER: trusted beside nothing else; none: what the system trusts
  int timeout_seconds = 30;         // for all of it
};

class Http {
 public:
  virtual ~Http() = default;
  // A GET without following redirects; the body is read up to a small limit and dropped. The status of the answer of
  // the server (not of the proxy's CONNECT). Errors: network (also: the proxy refused, with its status), tls; the
  // message has no secret and says in a sentence what failed.
  virtual Result<int> Get(const HttpRequest& request) = 0;
};

}  // namespace prov::machine
