// Access to a cluster: its address, the trusted CAs, and the credentials. They come from a kubeconfig, or are those
// that a cluster gives to its pods.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/file.h"
#include "provisioner/base/path_security.h"
#include "provisioner/base/secret.h"
#include "provisioner/net/http.h"
#include "provisioner/source/source.h"

namespace prov::source {

// A special value of SourceRequest::kubeconfig: use the credentials that the cluster gives to each of its pods.
inline constexpr std::string_view kInCluster = "in-cluster";

// The parts of this process's environment that matter here. Tests have their own.
struct KubeEnvironment {
  std::function<std::optional<std::string>(const std::string& name)> environment;  // a variable; nullopt: none
  std::string account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";    // token, ca.crt, namespace
  FileReader read_account = ReadTrustedFile;                                       // reads these
};
KubeEnvironment ThisProcess();

// The default kubeconfig: the one of $KUBECONFIG, else ~/.kube/config if it exists, else kInCluster if this process
// runs in a pod, else "". Errors: usage ($KUBECONFIG names several).
Result<std::string> DefaultKubeconfig(const KubeEnvironment& here);

class KubeAccess {
 public:
  // `request` has the kubeconfig ("" as DefaultKubeconfig). Its CA and proxy, if any, replace those of the kubeconfig.
  // Errors: those of ParseKubeConfig and of reading files, cert.
  static Result<KubeAccess> Open(const SourceRequest& request, const std::string& context, const KubeEnvironment& here);
  // The cluster that a kube:// URI names, with the options beside it, for this process. Errors: usage; those above.
  static Result<KubeAccess> Open(const SourceSpec& cluster);

  // A GET of this path (with its query), with CA, proxy and credentials. Reads a token in a file each time. Errors:
  // those of reading it.
  Result<net::FetchRequest> Request(const std::string& path) const;

  const std::string& who() const { return who_; }  // `user "x" of context "y"`, for messages
  bool anonymous() const { return !client_ && !token_ && token_file_.empty(); }
  bool has_token_file() const { return !token_file_.empty(); }
  const std::string& name_space() const { return name_space_; }  // of this pod; "": it runs in none, or not known
  const std::optional<int>& timeout_seconds() const { return timeout_seconds_; }  // as in SourceRequest

 private:
  void SetAddress(const std::string& host, const std::string& prefix, const std::string& tls_name);

  std::string who_;
  std::string name_space_;
  std::string base_;        // https://HOST[:PORT][/PREFIX]
  std::string connect_to_;  // as in FetchRequest
  std::string host_header_;
  std::vector<std::string> roots_;
  std::optional<net::ClientIdentity> client_;
  std::optional<Secret> token_;
  std::string token_file_;
  FileReader read_;
  std::optional<Secret> proxy_url_;
  std::optional<int> timeout_seconds_;
};

}  // namespace prov::source
