// The port for reading remote sources: this room itself opens no connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"

namespace prov::ignition {

// What a config says about how to fetch the things that it refers to.
struct FetchSettings {
  std::vector<std::string> authorities;  // ignition.security.tls.certificateAuthorities: decoded, verified, not parsed
  std::optional<Secret> http_proxy;      // ignition.proxy
  std::optional<Secret> https_proxy;
  std::vector<std::string> no_proxy;
  std::optional<int> answer_seconds;  // ignition.timeouts.httpResponseHeaders
  std::optional<int> total_seconds;   // ignition.timeouts.httpTotal; 0: no bound
};

// The use of a resource decides the wording of its errors, and how strictly its hash is compared.
enum class ResourceUse {
  kFile,    // hash digits in either case; remote without a fetcher: remote-source
  kConfig,  // hash compared as lower-case text, as Ignition does for references; remote without a fetcher: merge-remote
};

struct FetchOrder {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers = {};  // request headers as name and value
  FetchSettings settings = {};
  ResourceUse use = ResourceUse::kFile;
  unsigned spec_major = 3;  // of the spec of the config that refers to this
  bool has_hash = false;    // the bytes will be compared with a hash from the config
  std::uint64_t limit = 0;  // more bytes than that are of no use
};

// Fetches what a config refers to by URL (http, https, tftp, s3, gs, arn). Implementations bound time and size, verify
// TLS and refuse the schemes they don't know.
class Fetcher {
 public:
  Fetcher() = default;
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;
  virtual ~Fetcher() = default;

  // The body at the URL, as sent (not decompressed). Errors never name the userinfo or query of the URL.
  virtual Result<std::string> Fetch(const FetchOrder& order) = 0;
};

}  // namespace prov::ignition
