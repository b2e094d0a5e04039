// The way into a cluster: address, whom to believe and who asks; from a kubeconfig, or as a pod of the cluster has it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/file.h"
#include "provisioner/base/secret.h"
#include "provisioner/net/http.h"
#include "provisioner/source/source.h"

namespace prov::source {

// As SourceRequest::kubeconfig: what the cluster gives to each of its pods, and no file.
inline constexpr std::string_view kInCluster = "in-cluster";

// What this process finds around it. Tests have their own.
struct KubeSurroundings {
  std::function<std::optional<std::string>(const std::string& name)> environment;  // a variable; nullopt: none
  std::string account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";    // token, ca.crt, namespace
};
KubeSurroundings ThisProcess();

// The kubeconfig that a person means who names none: the one of $KUBECONFIG, else ~/.kube/config where there is one,
// else kInCluster where that is what this process is in, else "". Errors: usage ($KUBECONFIG names several).
Result<std::string> DefaultKubeconfig(const KubeSurroundings& surroundings);

class KubeAccess {
 public:
  // `request` decides where to look (kubeconfig, "" as DefaultKubeconfig) and may have a CA and a proxy of its own,
  // which then count instead of the kubeconfig's. Errors: those of ParseKubeConfig and of reading files, cert.
  static Result<KubeAccess> Open(const SourceRequest& request, const std::string& context,
                                 const KubeSurroundings& surroundings);

  // A GET of this path (with its query), with all that goes with it. A token that lies in a file is read anew. Errors:
  // those of reading it.
  Result<net::FetchRequest> Request(const std::string& path) const;

  const std::string& who() const { return who_; }  // `user "x" of context "y"`, for messages
  bool anonymous() const { return !client_ && !token_ && token_file_.empty(); }
  bool has_token_file() const { return !token_file_.empty(); }
  const std::optional<int>& timeout_seconds() const { return timeout_seconds_; }  // as in SourceRequest

 private:
  void SetAddress(const std::string& host, const std::string& prefix, const std::string& tls_name);

  std::string who_;
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
