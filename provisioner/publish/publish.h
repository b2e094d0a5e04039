// Computes from files what the cluster's network operator does with a Proxy: whether the spec is valid, its status, the
// bundle for pods, and the files for nodes. Pure except for the probes.
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
  bool owner_only = false;  // only its owner may read it, which then also applies to results from it
};

struct PublishRequest {
  NamedBytes proxy;
  NamedBytes infrastructure;
  NamedBytes network;
  std::optional<NamedBytes> install_config;
  std::optional<NamedBytes> user_ca;    // PEM, or the ConfigMap that spec.trustedCA names
  std::optional<NamedBytes> system_ca;  // PEM, or a ConfigMap
  bool render = false;                  // make the files
  bool probe = false;                   // request the readiness endpoints
  // The API server is reached through the proxy, as in HyperShift if its control plane has no address of its own for
  // nodes (PROXY_INTERNAL_APISERVER_ADDRESS=true).
  bool internal_apiserver_address = false;
};

struct PublishedFile {
  std::string name;
  std::string bytes;
  bool secret = false;  // for its owner only: holds credentials, or comes from an input for the owner only
};

struct Publication {
  std::vector<std::string> errors;  // the operator's messages; empty: the spec is valid
  Findings findings;                // about values that the operator accepts but that are doubtful
  ProxyValues status;               // with errors: the object's previous status
  std::vector<Probe> probes;
  std::vector<PublishedFile> files;  // in the order of writing, the status last; empty with errors

  bool valid() const { return errors.empty(); }
};

// The same input gives the same result, except for findings about dates. Errors are about the files themselves: json,
// yaml, kind, type, too-large, invalid-config (a repeated key), cert (of the system's bundle, or a private key without
// an end), not-found (a required bundle was not given).
Result<Publication> Publish(PublishRequest request, const ProbePorts& ports);

}  // namespace prov::publish
