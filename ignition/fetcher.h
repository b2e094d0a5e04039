// The port for reading remote sources: this folder itself opens no connections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"

namespace prov::ignition {

// A config's settings for fetching the resources that it refers to.
struct FetchSettings {
  std::vector<std::string> authorities;  // ignition.security.tls.certificateAuthorities: decoded, verified, not parsed
  std::optional<Secret> http_proxy;      // ignition.proxy
  std::optional<Secret> https_proxy;
  std::vector<std::string> no_proxy;
  std::optional<int> answer_seconds;  // ignition.timeouts.httpResponseHeaders
  std::optional<int> total_seconds;   // ignition.timeouts.httpTotal; 0: no limit
};

// The use of a resource: decides the wording of its errors, and how strictly its hash is compared.
enum class ResourceUse {
  kFile,    // hash digits in either case; remote without a fetcher: remote-source
  kConfig,  // hash compared as lower-case text, as in Ignition; remote without a fetcher: merge-remote
};

struct FetchOrder {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers = {};  // request headers: name and value
  FetchSettings settings = {};
  ResourceUse use = ResourceUse::kFile;
  unsigned spec_major = 3;  // spec version of the config that refers to it
  bool has_hash = false;    // the config has a hash for the bytes
  std::uint64_t limit = 0;  // maximum useful size in bytes
};

// Fetches the resources that a config refers to by URL (http, https, tftp, s3, gs, arn). Implementations limit time and
// size, verify TLS, and refuse schemes that they don't support.
class Fetcher {
 public:
  Fetcher() = default;
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;
  virtual ~Fetcher() = default;

  // The body at the URL, not decompressed. Errors never contain the userinfo or query of the URL.
  virtual Result<std::string> Fetch(const FetchOrder& order) = 0;
};

}  // namespace prov::ignition
