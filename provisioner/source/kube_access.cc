#include "provisioner/source/kube_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "provisioner/base/file.h"
#include "provisioner/base/text.h"
#include "provisioner/source/kube_config.h"
#include "provisioner/source/kube_uri.h"
#include "provisioner/source/roots.h"

namespace prov::source {
namespace {

constexpr std::uint64_t kMostConfigBytes = 16ULL << 20U;
constexpr std::uint64_t kMostFileBytes = 4ULL << 20U;

std::filesystem::path Utf8Path(std::string_view text) {
  return std::filesystem::path(std::u8string(text.begin(), text.end()));
}

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(Utf8Path(path), error);
}

// Resolves a path relative to the kubeconfig's folder, as kubectl does.
std::string Resolve(const std::string& file, const std::string& kubeconfig) {
  if (Utf8Path(file).is_absolute()) return file;
  const std::size_t end = kubeconfig.find_last_of("/\\");
  return fmt::format("{}/{}", end == std::string::npos ? "." : kubeconfig.substr(0, end), file);
}

// The CAs of --ca, else the kubeconfig's; empty: the system's are trusted.
Result<std::vector<std::string>> Roots(const KubeFileOrData& ca, const std::string& kubeconfig,
                                       const SourceRequest& request) {
  if (!request.ca_file.empty()) return RootsOf(request);
  if (ca.data) return ParseRoots(ca.data->Reveal(), kubeconfig + ": certificate-authority-data");
  if (ca.file.empty()) {
    PROV_TRY(MayUseSystemRoots(request));
    return {};
  }
  const std::string path = Resolve(ca.file, kubeconfig);
  return ParseRoots(PROV_TRY(request.ReadLocal(path, kMostFileBytes)), path);
}

Result<std::string> BytesOf(const KubeFileOrData& material, const std::string& kubeconfig,
                            const SourceRequest& request) {
  if (material.data) return material.data->Reveal();
  return request.ReadLocal(Resolve(material.file, kubeconfig), kMostFileBytes);
}

Result<std::optional<net::ClientIdentity>> ClientOf(const KubeUser& user, const std::string& kubeconfig,
                                                    const SourceRequest& request) {
  if (!user.certificate.Given()) return std::nullopt;
  net::ClientIdentity out;
  out.certificate_pem = PROV_TRY(BytesOf(user.certificate, kubeconfig, request));
  out.key_pem = Secret(PROV_TRY(BytesOf(user.key, kubeconfig, request)));
  return out;
}

// Refuses a token that is not one word: anything else must not get into a header.
Result<Secret> CheckToken(std::string_view text, const std::string& where) {
  const std::string_view token = TrimBlanks(text);
  if (token.empty()) return Fail(Code::kNotFound, "the token is empty", where);
  if (std::ranges::any_of(token, [](char c) { return c <= ' ' || c >= 0x7F; })) {
    return Fail(Code::kType, "the token has blanks or other characters that no token has", where);
  }
  return Secret(std::string(token));
}

std::string PortOf(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || host.substr(colon).find(']') != std::string_view::npos) return ":443";
  return std::string(host.substr(colon));
}

struct PodAccount {
  std::string folder;
  std::string server;  // "host:port"
};

// The account that the cluster gives to each pod. A host process of Windows has it below the container's files: with
// containerd 1.6 only there, with later ones in both places (hcsshim 7c9ff7f, internal/jobcontainers/mounts.go). So
// that place comes first: the other may be a folder of the node itself, which any of its users can make.
std::optional<PodAccount> AccountOfPod(const KubeEnvironment& here) {
  const auto host = here.environment("KUBERNETES_SERVICE_HOST");
  const auto port = here.environment("KUBERNETES_SERVICE_PORT");
  if (!host || !port || host->empty() || port->empty()) return std::nullopt;
  const auto mounted = here.environment("CONTAINER_SANDBOX_MOUNT_POINT");
  std::string folder = mounted.value_or("") + here.account_folder;
  if (!Exists(folder + "/token")) folder = here.account_folder;
  if (!Exists(folder + "/token")) return std::nullopt;
  const bool ipv6 = host->find(':') != std::string::npos;
  return PodAccount{std::move(folder),
                    ipv6 ? fmt::format("[{}]:{}", *host, *port) : fmt::format("{}:{}", *host, *port)};
}

std::optional<std::string> Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nothing here changes variables
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<KubeConfig> ConfigOfPod(const KubeEnvironment& here) {
  const auto pod = AccountOfPod(here);
  if (!pod) {
    return Fail(Code::kNotFound,
                "this program does not run in a pod of a cluster: KUBERNETES_SERVICE_HOST and _PORT, or the service "
                "account's token, are "
                "missing; give --kubeconfig FILE",
                std::string(kInCluster));
  }
  KubeConfig out;
  const KubeServer server = PROV_TRY(ParseKubeServer("https://" + pod->server, "KUBERNETES_SERVICE_HOST"));
  out.cluster.host = server.host;
  out.cluster.ca.file = pod->folder + "/ca.crt";
  out.user.token_file = pod->folder + "/token";
  return out;
}

std::string NamespaceOfPod(const KubeEnvironment& here) {
  const auto pod = AccountOfPod(here);
  if (!pod) return {};
  const auto text = here.read_account(pod->folder + "/namespace", kMostFileBytes);
  const std::string name(text ? TrimBlanks(*text) : std::string_view());
  return IsKubeName(name) ? name : std::string();
}

}  // namespace

KubeEnvironment ThisProcess() { return {.environment = Variable}; }

Result<std::string> DefaultKubeconfig(const KubeEnvironment& here) {
  constexpr bool kWindows = std::filesystem::path::preferred_separator != '/';
  const auto named = here.environment("KUBECONFIG");
  if (named && !named->empty()) {
    if (named->find(kWindows ? ';' : ':') != std::string::npos) {
      return Fail(Code::kUsage,
                  "names several files, but this program does not merge kubeconfigs; name one with --kubeconfig",
                  "KUBECONFIG");
    }
    return *named;
  }
  for (const char* variable : {"HOME", "USERPROFILE"}) {
    const auto home = here.environment(variable);
    if (home && !home->empty() && Exists(*home + "/.kube/config")) return *home + "/.kube/config";
  }
  return AccountOfPod(here) ? std::string(kInCluster) : std::string();
}

void KubeAccess::SetAddress(const std::string& host, const std::string& prefix, const std::string& tls_name) {
  base_ = fmt::format("https://{}{}", host, prefix);
  if (tls_name.empty()) return;
  const std::string port = PortOf(host);
  base_ = fmt::format("https://{}{}{}", tls_name, port, prefix);
  host_header_ = host;
  connect_to_ = host.ends_with(port) ? host : host + port;
}

Result<KubeAccess> KubeAccess::Open(const SourceSpec& cluster) {
  const KubeTarget target = PROV_TRY(ParseKubeUri(cluster.source, cluster.selection));
  return Open({cluster}, target.context, ThisProcess());
}

Result<KubeAccess> KubeAccess::Open(const SourceRequest& request, const std::string& context,
                                    const KubeEnvironment& here) {
  const std::string file = request.kubeconfig.empty() ? PROV_TRY(DefaultKubeconfig(here)) : request.kubeconfig;
  if (file.empty() || file == "-") {
    return Fail(Code::kUsage, "a kubeconfig is missing; give --kubeconfig FILE", request.source);
  }
  const bool pod = file == kInCluster;
  if (pod && !context.empty()) {
    return Fail(Code::kUsage, "in-cluster has no contexts; leave the context out, as in kube:///worker",
                request.source);
  }
  const KubeConfig config =
      pod ? PROV_TRY(ConfigOfPod(here))
          : PROV_TRY(ParseKubeConfig(PROV_TRY(request.ReadLocal(file, kMostConfigBytes)), file, context));
  const std::string base = pod ? std::string() : file;
  // What kubelet mounts for this pod is behind links, which read_followed would refuse.
  SourceRequest material = request;
  if (pod && request.ca_file.empty()) material.read_followed = here.read_account;

  KubeAccess out;
  out.who_ = pod ? "this pod's service account"
                 : fmt::format("user \"{}\" of context \"{}\"", config.user.name, config.context);
  out.SetAddress(config.cluster.host, config.cluster.prefix, config.cluster.tls_server_name);
  out.roots_ = PROV_TRY(Roots(config.cluster.ca, base, material));
  out.client_ = PROV_TRY(ClientOf(config.user, base, request));
  if (config.user.token) out.token_ = PROV_TRY(CheckToken(config.user.token->Reveal(), file + ": token"));
  if (!config.user.token_file.empty()) out.token_file_ = Resolve(config.user.token_file, base);
  out.read_ = request.IsFollowed() ? request.read_followed : ReadFile;
  if (pod) out.read_ = here.read_account;
  if (pod) out.name_space_ = NamespaceOfPod(here);
  out.proxy_url_ = request.proxy_url ? request.proxy_url : config.cluster.proxy_url;
  out.timeout_seconds_ = request.timeout_seconds;
  return out;
}

Result<net::FetchRequest> KubeAccess::Request(const std::string& path) const {
  net::FetchRequest out;
  out.url = base_ + path;
  out.headers.emplace_back("Accept", "application/json");
  if (!host_header_.empty()) out.headers.emplace_back("Host", host_header_);
  out.connect_to = connect_to_;
  out.roots = roots_;
  out.client = client_;
  out.proxy_url = proxy_url_;
  out.bearer_token = token_;
  if (!token_file_.empty()) {
    out.bearer_token = PROV_TRY(CheckToken(PROV_TRY(read_(token_file_, kMostFileBytes)), token_file_));
  }
  return out;
}

}  // namespace prov::source
