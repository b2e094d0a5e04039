// kubeconfig files: the server of a context, the CAs to trust there, and the credentials. Facts: client-go's clientcmd
// API, version v1.
#pragma once

#include <optional>
#include <string>

#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"

namespace prov::source {

// A value in the file itself (decoded), or the path of another file.
struct KubeFileOrData {
  std::optional<Secret> data;
  std::string file;  // as written; relative to the kubeconfig's folder
  bool Given() const { return data || !file.empty(); }
};

struct KubeCluster {
  std::string host;             // "host" or "host:port", IPv6 in brackets
  std::string prefix;           // path before /api, without a slash at its end; usually ""
  std::string tls_server_name;  // "": the host's name
  KubeFileOrData ca;            // PEM
  std::optional<Secret> proxy_url;
};

struct KubeUser {
  std::string name;
  std::optional<Secret> token;
  std::string token_file;  // takes precedence over `token`
  KubeFileOrData certificate;
  KubeFileOrData key;
};

struct KubeConfig {
  std::string context;
  KubeCluster cluster;
  KubeUser user;
};

// YAML or JSON. `context`: "" is the file's current one. Errors never quote a credential. Errors: yaml, json, type;
// not-found (context, cluster, user, server); cert (data that is not base64); tls (insecure-skip-tls-verify, a server
// without TLS); kind (credentials by another program, a password, impersonation).
Result<KubeConfig> ParseKubeConfig(std::string bytes, const std::string& where, const std::string& context);

// The host with its port, and the path, of an https URL. Errors: tls, type.
struct KubeServer {
  std::string host;
  std::string prefix;
};
Result<KubeServer> ParseKubeServer(std::string_view url, const std::string& where);

}  // namespace prov::source
