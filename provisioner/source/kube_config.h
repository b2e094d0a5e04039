// kubeconfig files: which server a context stands for, which CAs to trust there, and the credentials. Facts:
// client-go's clientcmd API, version v1.
#pragma once

#include <optional>
#include <string>

#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"

namespace prov::source {

// Given in the file itself (decoded), or as the path of another file.
struct KubeMaterial {
  std::optional<Secret> data;
  std::string file;  // as written; relative to the kubeconfig's folder
  bool Given() const { return data || !file.empty(); }
};

struct KubeCluster {
  std::string host;             // "host" or "host:port", IPv6 in brackets
  std::string prefix;           // path before /api, without a slash at its end; mostly ""
  std::string tls_server_name;  // "": the host's own
  KubeMaterial ca;              // PEM
  std::optional<Secret> proxy_url;
};

struct KubeUser {
  std::string name;
  std::optional<Secret> token;
  std::string token_file;  // wins over `token`
  KubeMaterial certificate;
  KubeMaterial key;
};

struct KubeConfig {
  std::string context;
  KubeCluster cluster;
  KubeUser user;
};

// YAML or JSON. `context`: "" is the file's current one. Errors: yaml, json, type; not-found (context, cluster, user,
// server); cert (data that is no base64); tls (insecure-skip-tls-verify, a server without TLS); kind (credentials by
// another program, a password, in somebody else's name). They never hold anything of a credential.
Result<KubeConfig> ParseKubeConfig(std::string bytes, const std::string& where, const std::string& context);

// "host", "host:port" and path of an https URL. Errors: tls, type.
struct KubeServer {
  std::string host;
  std::string prefix;
};
Result<KubeServer> ParseKubeServer(std::string_view url, const std::string& where);

}  // namespace prov::source
