// Parses the watch of the Kubernetes API: turns the lines that the server sends, one JSON event each, into events of
// one object. No input or output. Facts: Kubernetes API concepts, "Efficient detection of changes".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/source/kube_uri.h"

namespace prov::source {

// The state of an object at one moment.
struct KubeState {
  std::string resource_version;  // where to continue to watch; opaque
  // Equal if nothing has changed that is read from the object; "": the object does not exist. For a pool, the name of
  // its rendered config, so that changing counts of its machines are no change.
  std::string fingerprint;

  bool operator==(const KubeState&) const = default;
};

struct KubeEvent {
  enum class Kind {
    kState,     // the object was added, modified or deleted
    kBookmark,  // only a newer resource version
    kGone,      // the server does not have that resource version any more: list again
    kError,     // an error of the server, or in what it sent
  };
  Kind kind = Kind::kBookmark;
  KubeState state;  // kBookmark: only the version
  Error error;      // kError: json, type, too-large, network

  bool operator==(const KubeEvent& other) const;
};

class KubeWatchReader {
 public:
  static constexpr std::size_t kMostLine = std::size_t{16} << 20U;

  KubeWatchReader(KubeKind kind, std::string name, std::size_t most_line = kMostLine)
      : kind_(kind), name_(std::move(name)), most_line_(most_line) {}

  // The events that this piece completes; the stream may be cut anywhere. Returns none after kGone or kError. Skips
  // events of other objects.
  std::vector<KubeEvent> Feed(std::string_view piece);
  bool ended() const { return ended_; }

 private:
  void ReadLine(std::string_view line, std::vector<KubeEvent>& out);

  KubeKind kind_;
  std::string name_;
  std::size_t most_line_;
  std::string line_;  // the incomplete line
  bool ended_ = false;
};

// The answer to a list request for the one object. Errors: json, type, too-large.
Result<KubeState> ParseKubeList(std::string body, KubeKind kind, const std::string& name);

}  // namespace prov::source
