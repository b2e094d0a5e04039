#include "provisioner/source/kube_uri.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"

namespace prov::source {
namespace {

constexpr std::string_view kScheme = "kube://";
constexpr std::size_t kLongestName = 253;
constexpr std::string_view kForms =
    "write kube://[CONTEXT]/[POOL], or behind the context machineconfigpool/NAME, machineconfig/NAME, "
    "controllerconfig, proxy, configmap/NAMESPACE/NAME[:KEY], clustertrustbundle/NAME, hostedcluster/NAMESPACE/NAME or "
    "ranchercluster/NAMESPACE/NAME";

std::unexpected<Error> RefuseUri(std::string_view why, const std::string& uri) {
  return Fail(Code::kUsage, fmt::format("{}; {}", why, kForms), uri);
}

bool IsDataKey(std::string_view key) {
  constexpr std::string_view kMarks = "-_.";
  return !key.empty() && key.size() <= kLongestName && std::ranges::all_of(key, [&](char c) {
    return IsLetter(c) || IsDigit(c) || kMarks.find(c) != std::string_view::npos;
  });
}

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

Result<std::string> PercentDecode(std::string_view text, const std::string& uri) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto byte = i + 2 < text.size() ? FromHex(text.substr(i + 1, 2)) : std::nullopt;
    if (!byte) return RefuseUri("a '%' in the context is not followed by two hex digits", uri);
    out += *byte;
    i += 2;
  }
  return out;
}

Result<KubeTarget> NamedTarget(KubeKind kind, std::string_view name, const std::string& uri) {
  // That of a bundle of a signer begins with the signer's, "example.com:signer:NAME".
  std::string checked(name);
  if (kind == KubeKind::kClusterTrustBundle) std::ranges::replace(checked, ':', '-');
  if (!IsKubeName(checked)) {
    return RefuseUri("the object's name is not a valid name in Kubernetes (lower-case letters, digits, '-' and '.')",
                     uri);
  }
  return KubeTarget{{}, kind, std::string(name)};
}

Result<KubeTarget> NamespacedTarget(KubeKind kind, const std::vector<std::string_view>& path, const std::string& uri) {
  if (path.size() != 3)
    return RefuseUri(fmt::format("a {} is named with its namespace: {}/NAMESPACE/NAME", path[0], path[0]), uri);
  if (!IsKubeName(path[1])) return RefuseUri("the namespace is not a valid name in Kubernetes", uri);
  const std::size_t colon = kind == KubeKind::kConfigMap ? path[2].find(':') : std::string_view::npos;
  KubeTarget out = PROV_TRY(NamedTarget(kind, path[2].substr(0, colon), uri));
  out.name_space = path[1];
  if (colon == std::string_view::npos) return out;
  out.key = path[2].substr(colon + 1);
  if (!IsDataKey(out.key)) {
    return RefuseUri("the key behind the ':' is not one of a ConfigMap (letters, digits, '-', '_' and '.')", uri);
  }
  return out;
}

// The target for a kind with only one object in a cluster.
Result<KubeTarget> Single(KubeKind kind, std::string_view name, const std::vector<std::string_view>& path,
                          const std::string& uri) {
  if (path.size() == 2 && path[1] != name) {
    return RefuseUri(fmt::format("there is only one {}, and it is called {}", path[0], name), uri);
  }
  return KubeTarget{{}, kind, std::string(name)};
}

Result<KubeTarget> ParsePath(const std::vector<std::string_view>& path, const std::string& pool,
                             const std::string& uri) {
  if (path.empty()) return NamedTarget(KubeKind::kPool, pool, uri);
  for (const auto& [word, kind] : {std::pair<std::string_view, KubeKind>("configmap", KubeKind::kConfigMap),
                                   {"hostedcluster", KubeKind::kHostedCluster},
                                   {"ranchercluster", KubeKind::kRancherCluster}})
    if (path.size() > 1 && path[0] == word) return NamespacedTarget(kind, path, uri);
  if (path.size() > 2) return RefuseUri("the path has too many parts", uri);
  if (path[0] == "controllerconfig") {
    return Single(KubeKind::kControllerConfig, "machine-config-controller", path, uri);
  }
  if (path[0] == "proxy") return Single(KubeKind::kProxy, "cluster", path, uri);
  if (path.size() == 1) return NamedTarget(KubeKind::kPool, path[0], uri);
  if (path[0] == "machineconfigpool") return NamedTarget(KubeKind::kPool, path[1], uri);
  if (path[0] == "machineconfig") return NamedTarget(KubeKind::kMachineConfig, path[1], uri);
  if (path[0] == "clustertrustbundle") return NamedTarget(KubeKind::kClusterTrustBundle, path[1], uri);
  return RefuseUri("objects of this kind hold no egress settings", uri);
}

}  // namespace

bool IsKubeUri(std::string_view source) { return EqualsIgnoreAsciiCase(source.substr(0, kScheme.size()), kScheme); }

bool StatesTrustAlone(KubeKind kind) { return kind == KubeKind::kConfigMap || kind == KubeKind::kClusterTrustBundle; }

bool IsKubeName(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return false;
  if (!IsLowerOrDigit(name.front()) || !IsLowerOrDigit(name.back())) return false;
  if (name.find("..") != std::string_view::npos) return false;
  return std::ranges::all_of(name, [](char c) { return IsLowerOrDigit(c) || c == '-' || c == '.'; });
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

Result<KubeTarget> ParseKubeUri(const std::string& uri, const ignition::Selection& selection) {
  if (!IsKubeUri(uri)) return RefuseUri("is not a kube:// URI", uri);
  const std::string_view rest = std::string_view(uri).substr(kScheme.size());
  if (rest.find_first_of("?# \t\r\n") != std::string_view::npos || !IsUtf8(rest)) {
    return RefuseUri("a kube:// URI has no query, fragment or blanks", uri);
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::vector<std::string_view> path = Split(rest.substr(slash), '/');
  std::erase(path, std::string_view());
  KubeTarget out = PROV_TRY(ParsePath(path, selection.pool, uri));
  if (!selection.name.empty()) {
    if (out.kind != KubeKind::kPool && out.kind != KubeKind::kMachineConfig) {
      return RefuseUri("--name names a MachineConfig, and this URI something else", uri);
    }
    out = PROV_TRY(NamedTarget(KubeKind::kMachineConfig, selection.name, uri));
  }
  out.context = PROV_TRY(PercentDecode(rest.substr(0, slash), uri));
  return out;
}

}  // namespace prov::source
