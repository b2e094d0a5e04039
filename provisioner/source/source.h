// Where settings come from: from the SOURCE of a command line to an EgressConfig.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/base/clock.h"
#include "provisioner/base/file.h"
#include "provisioner/base/secret.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/net/http.h"
#include "provisioner/source/source_spec.h"

namespace prov::source {

// A source, and who may have written its local files.
struct SourceRequest : SourceSpec {
  // Set on a node that follows the source: reads each of its local files, and refuses one that others than
  // administrators could have written. The system's roots are not trusted then: the node's own store holds what this
  // source delivers.
  FileReader read_followed = {};

  bool IsFollowed() const { return static_cast<bool>(read_followed); }
  // A local file of the source. Errors: those of read_followed, or of ReadFile.
  Result<std::string> ReadLocal(const std::string& path, std::uint64_t limit) const {
    return IsFollowed() ? read_followed(path, limit) : ReadFile(path, limit);
  }
};

struct SourceCache;  // source_cache.h

// What remote sources need. Files need neither.
struct SourcePorts {
  net::Http& http;
  Clock& clock;
  // For a process that reads its source again and again: what did not change is not parsed again. May be null. kube://
  // does not use it.
  SourceCache* cache = nullptr;
};

// Checks that requests can be made through this proxy; `where` names it in the error: proxy-url.
Result<void> CheckProxyUrl(const Secret& url, const std::string& where);

// Errors: not-found, io, too-large, kind, scheme, network, tls, hash-mismatch, and those of the format that is found
// there.
Result<egress::EgressConfig> Read(const SourceRequest& request, const SourcePorts& ports);

// How long a source may take as a whole, with all that it refers to.
class SourceTime {
 public:
  explicit SourceTime(int seconds) : whole_(seconds), left_(seconds) {}

  int left() const { return left_; }  // seconds

  // Subtracts what a document took by the clock. A clock that was set meanwhile, as happens at a first boot, is
  // recognised: no document takes much longer than the time that was left for it.
  void Spend(std::int64_t seconds);

  // Why there is no time left, for errors.
  std::string Words() const;

 private:
  int whole_;
  int left_;
};

}  // namespace prov::source
