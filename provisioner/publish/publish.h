// What the cluster's network operator does with a Proxy, computed from files: whether the spec is valid, its status,
// the bundle that pods get, and the files that are written to nodes. Pure except for the probes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/publish/proxy_spec.h"
#include "provisioner/publish/readiness.h"

namespace prov::publish {

struct NamedBytes {
  std::string bytes;
  std::string where;        // the file's path
  bool owner_only = false;  // others may not read it, so they may not read what is made of it
};

struct PublishRequest {
  NamedBytes proxy;
  NamedBytes infrastructure;
  NamedBytes network;
  std::optional<NamedBytes> install_config;
  std::optional<NamedBytes> user_ca;    // PEM, or the ConfigMap that spec.trustedCA names
  std::optional<NamedBytes> system_ca;  // PEM, or a ConfigMap
  std::vector<NamedBytes> inject;       // objects that ask for the bundle or the proxy
  bool render = false;                  // make files
  bool probe = false;                   // ask the readiness endpoints
  // As HyperShift does it if its control plane has no address of its own for nodes
  // (PROXY_INTERNAL_APISERVER_ADDRESS=true): the API server is reached through the proxy.
  bool internal_apiserver_address = false;
};

struct PublishedFile {
  std::string name;
  std::string bytes;
  bool secret = false;  // for its owner only: holds credentials, or what it was made of is
};

struct Publication {
  std::vector<std::string> errors;  // the operator's texts; none: the spec is valid
  Findings findings;                // what it takes, and we doubt
  ProxyValues status;               // with errors: what the object said before
  std::vector<Probe> probes;
  std::vector<PublishedFile> files;  // in the order to write them, the status last; none with errors

  bool valid() const { return errors.empty(); }
};

// Same input, same result, but for findings about dates. Errors are about the files themselves: json, yaml, kind, type,
// too-large, invalid-config (a key that occurs twice), cert (of the system's bundle, or a private key without end),
// not-found (a bundle that is needed and was not given), usage (two files of one name).
Result<Publication> Publish(PublishRequest request, const ProbePorts& ports);

}  // namespace prov::publish
