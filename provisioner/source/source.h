// Reads the SOURCE of a command line into an EgressConfig.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ignition/fetcher.h"
#include "provisioner/base/clock.h"
#include "provisioner/base/file.h"
#include "provisioner/base/secret.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/net/http.h"
#include "provisioner/source/source_spec.h"

namespace prov::source {

// A source, and whether its local files must be protected from other users.
struct SourceRequest : SourceSpec {
  // Set on a node that follows the source: reads each of its local files, and refuses one that others than
  // administrators could have written. The system's roots are not trusted then, because the node's own store holds what
  // this source delivers.
  FileReader read_followed = {};
  // What the source itself holds, if it is local and the caller has read it: a pipe can be read once only.
  std::optional<std::string> document = {};

  bool IsFollowed() const { return static_cast<bool>(read_followed); }
  // A local file of the source. Errors: those of read_followed, or of ReadFile.
  Result<std::string> ReadLocal(const std::string& path, std::uint64_t limit) const {
    return IsFollowed() ? read_followed(path, limit) : ReadFile(path, limit);
  }
  // The source itself, which is local. Errors: those of ReadLocal; not-found names what may have been meant.
  Result<std::string> ReadSelf() const;
};

// A resource that a config referred to and that was fetched.
struct Fetched {
  ignition::FetchOrder order;
  std::string etag;
  std::string digest;  // SHA-256 of the body
};

// What a process that reads its source repeatedly keeps from the last reading: enough to detect changes, and the
// result, but none of the answers.
struct SourceCache {
  std::string key = {};     // identifies the source: source, pool and name; "": none was read yet
  std::string etag = {};    // of the document itself; "" if the server sends none
  std::string digest = {};  // SHA-256 of the document
  std::vector<Fetched> references = {};
  egress::EgressConfig config = {};
};

// The ports that remote sources need; files need neither.
struct SourcePorts {
  net::Http& http;
  Clock& clock;
  // For a process that reads its source repeatedly: unchanged documents are not parsed again. May be null. Not used for
  // kube://.
  SourceCache* cache = nullptr;
};

// Checks that requests can be made through this proxy; `where` names it in the error: proxy-url.
Result<void> CheckProxyUrl(const Secret& url, const std::string& where);

// Whether the source is not read as one document: a folder of a cluster's objects as `oc adm must-gather` writes it, or
// a large archive of one, which is read piece by piece. Such a source has no `document`.
bool IsCollection(const SourceRequest& request);

// Reads the source. Errors: not-found, io, too-large, kind, scheme, network, tls, hash-mismatch, and those of the
// format that is found there.
Result<egress::EgressConfig> Read(const SourceRequest& request, const SourcePorts& ports);

// How long a source may take as a whole, including everything that it refers to.
class SourceTime {
 public:
  // In seconds. A document that can't be fetched is tried again until `retry`.
  SourceTime(int whole, int retry) : whole_(whole), retry_(retry), left_(whole) {}
  explicit SourceTime(int whole) : SourceTime(whole, whole) {}
  // The time that the request sets; otherwise a minute, with retries for ten seconds.
  static SourceTime Of(const SourceRequest& request) {
    constexpr int kWhole = 60, kRetry = 10;
    return request.timeout_seconds ? SourceTime(*request.timeout_seconds) : SourceTime(kWhole, kRetry);
  }

  int whole() const { return whole_; }
  int retry() const { return retry_; }
  int left() const { return left_; }

  // Subtracts the time that a document took by the clock. A larger amount means that the clock was set meanwhile, as
  // happens at a first boot: no document takes much longer than the time that was left for it.
  void Spend(std::int64_t seconds);

  // The reason why no time is left, for errors.
  std::string Reason() const;

 private:
  int whole_;
  int retry_;
  int left_;
};

}  // namespace prov::source
