// The port through which remote sources are read: this room itself opens no connection.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::ignition {

// Fetches what a config refers to by URL (http, https, tftp, s3, gs, arn). Implementations bound time and size, verify
// TLS and refuse the schemes they don't know.
class Fetcher {
 public:
  Fetcher() = default;
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;
  virtual ~Fetcher() = default;

  // The body at `url`, as sent (not decompressed). `headers` are request headers as name and value. Errors never name
  // the userinfo or query of the URL.
  virtual Result<std::string> Fetch(const std::string& url,
                                    const std::vector<std::pair<std::string, std::string>>& headers) = 0;
};

}  // namespace prov::ignition
