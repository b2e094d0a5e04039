// What a cluster's settings say about image registries: mirrors, blocked registries and their CAs. This is the model
// of registries.conf (version 2), in which OpenShift's mirror sets and policies are expressed, too.
// Facts: docs/registries.md#mirrors-of-a-cluster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/error.h"

namespace prov::registries {

// Which references a mirror is used for.
enum class MirrorUse { kAll, kDigestOnly, kTagOnly };

struct Mirror {
  std::string location;   // "mirror.example.com:5000/path", without a scheme
  bool insecure = false;  // plain HTTP, or HTTPS with any certificate
  MirrorUse use = MirrorUse::kAll;

  bool operator==(const Mirror&) const = default;
};

// The settings for the images whose reference begins with `prefix`.
struct Registry {
  std::string prefix;    // "quay.io", "quay.io/org", "*.example.com"
  std::string location;  // replaces the prefix in requests to the registry itself; "": the prefix
  bool blocked = false;  // the registry itself is never asked: references fail unless a mirror has the image
  bool insecure = false;
  std::vector<Mirror> mirrors;  // in the order in which they are asked

  bool operator==(const Registry&) const = default;
};

// CAs for one registry, beside the machine's.
struct RegistryCa {
  std::string host;                       // "host" or "host:port"
  std::vector<std::string> certificates;  // DER

  bool operator==(const RegistryCa&) const = default;
};

struct Mirrors {
  std::vector<std::string> places;   // the files or objects that they were read from; empty: no statement
  std::vector<Registry> registries;  // each prefix once
  std::vector<RegistryCa> cas;       // each host once
  bool states_no_cas = false;        // the source speaks of CAs for single registries, and has none
  std::vector<std::string> trust =
      {};  // DER: of a payload, the trusted certificates of its source that it has not itself

  bool left_out = false;               // nothing is said because choices leave it out, not for lack of a statement
  std::optional<Error> fault = {};     // why what the source says of mirrors can't be read; `registries` is empty then
  std::optional<Error> ca_fault = {};  // why a CA can't be read, which `cas` lacks

  bool stated() const { return !places.empty(); }
  bool states_cas() const { return !cas.empty() || states_no_cas; }
  bool IsSilent() const { return !stated() && !states_cas() && !fault && !ca_fault; }
};

}  // namespace prov::registries
