#include "provisioner/source/source_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "provisioner/base/text.h"

namespace prov::source {
namespace {

constexpr std::string_view kForImages = "for --image of check and explain";
constexpr std::string_view kOwnProxy = "proxy variables of single programs or users";
constexpr std::string_view kProxyAssigned = "_proxy=";

constexpr auto Rows() {
  using enum Subject;
  using enum Use;
  return std::to_array<SourceMember>({
      {"Ignition", "/etc/mco/proxy.env", kProxy, kApplied, ""},
      {"Ignition", "/etc/pki/ca-trust/source/anchors/*", kTrust, kApplied, ""},
      {"Ignition", "/etc/pki/ca-trust/**", kTrust, kNamed, "trust settings in a form or place of their own"},
      {"Ignition", "/usr/share/pki/**", kTrust, kNamed, "trust settings of an image"},
      {"Ignition", "/etc/docker/certs.d/**", kRegistries, kApplied, kForImages},
      {"Ignition", "/etc/containers/certs.d/**", kRegistries, kApplied, kForImages},
      {"Ignition", "/etc/containers/registries.conf", kRegistries, kApplied, kForImages},
      {"Ignition", "/etc/containers/registries.conf.d/*", kRegistries, kApplied, kForImages},
      {"Ignition", "/var/lib/kubelet/config.json", kRegistries, kApplied, kForImages},
      {"Ignition", "/etc/systemd/**", kProxy, kNamed, kOwnProxy, kProxyAssigned},
      {"Ignition", "/etc/environment", kProxy, kNamed, kOwnProxy, kProxyAssigned},
      {"Ignition", "/etc/profile.d/*", kProxy, kNamed, kOwnProxy, kProxyAssigned},
      {"Ignition", "/etc/sysconfig/*", kProxy, kNamed, kOwnProxy, kProxyAssigned},

      {"ControllerConfig", "spec.proxy", kProxy, kApplied, ""},
      {"ControllerConfig", "spec.additionalTrustBundle", kTrust, kApplied, ""},
      {"ControllerConfig", "spec.imageRegistryBundleData", kTrust, kApplied, ""},
      {"ControllerConfig", "spec.imageRegistryBundleUserData", kTrust, kApplied, ""},
      {"ControllerConfig", "spec.rootCAData", kTrust, kOther, "the API server's CA, which a kubeconfig holds"},
      {"ControllerConfig", "spec.kubeAPIServerServingCAData", kTrust, kOther, "the CA of kubelet's clients"},
      {"ControllerConfig", "spec.cloudProviderCAData", kTrust, kOther,
       "the CA of the cloud's API, for its controllers"},
      {"ControllerConfig", "spec.internalRegistryPullSecret", kRegistries, kOther, "a password"},
      {"ControllerConfig", "spec.images", kRegistries, kOther, "images of the release"},
      {"ControllerConfig", "status", kTrust, kOther, "what the controller reports"},

      {"Proxy", "spec.httpProxy", kProxy, kApplied, ""},
      {"Proxy", "spec.httpsProxy", kProxy, kApplied, ""},
      {"Proxy", "spec.noProxy", kProxy, kApplied, ""},
      {"Proxy", "spec.trustedCA", kTrust, kApplied, ""},
      {"Proxy", "status", kProxy, kApplied, ""},

      {"HostedCluster", "spec.configuration.proxy", kProxy, kApplied, ""},
      {"HostedCluster", "spec.additionalTrustBundle", kTrust, kApplied, ""},
      {"HostedCluster", "spec.imageContentSources", kRegistries, kApplied, kForImages},
      {"HostedCluster", "spec.configuration.image.additionalTrustedCA", kTrust, kNamed, "CAs of image registries"},
      {"HostedCluster", "status", kProxy, kOther, "what HyperShift reports"},

      {"ConfigMap", "data.ca-bundle.crt", kTrust, kApplied, ""},
      {"ConfigMap", "binaryData.ca-bundle.crt", kTrust, kApplied, ""},

      {"ClusterTrustBundle", "spec.trustBundle", kTrust, kApplied, ""},

      {"InstallConfig", "proxy", kProxy, kApplied, ""},
      {"InstallConfig", "additionalTrustBundle", kTrust, kApplied, ""},
      {"InstallConfig", "additionalTrustBundlePolicy", kTrust, kOther, "which pods trust the bundle"},
      {"InstallConfig", "imageContentSources", kRegistries, kApplied, kForImages},
      {"InstallConfig", "imageDigestSources", kRegistries, kApplied, kForImages},

      {"AKS", "httpProxyConfig", kProxy, kApplied, ""},
      {"AKS", "securityProfile.customCaTrustCertificates", kTrust, kApplied, ""},
      {"AKS", "agentPoolProfiles.enableCustomCaTrust", kTrust, kOther,
       "which Linux pools have an agent for certificates"},
      {"AKS", "bootstrapProfile", kRegistries, kNamed, "a registry that nodes take the system's images from"},
      {"AKS", "serviceMeshProfile", kTrust, kOther, "certificates within a service mesh"},
      {"AKS", "networkProfile.kubeProxyConfig", kProxy, kOther, "kube-proxy, which forwards to services"},
      {"AKS", "windowsProfile.enableCsiProxy", kProxy, kOther, "a part of storage drivers"},
      {"AKS", "addonProfiles", kProxy, kOther, "settings of pods"},
      {"AKS", "agentPoolProfiles.nodeLabels", kProxy, kOther, "names of a person's choice"},
      {"AKS", "agentPoolProfiles.tags", kProxy, kOther, "names of a person's choice"},
      {"AKS", "tags", kProxy, kOther, "names of a person's choice"},

      {"RancherCluster", "spec.agentEnvVars", kProxy, kApplied, ""},
      {"RancherCluster", "spec.rkeConfig.registries", kRegistries, kNamed, "what containerd on the nodes is given"},
      {"RancherCluster", "spec.localClusterAuthEndpoint", kTrust, kOther, "the API server's CA, for kubeconfigs"},
      {"RancherCluster", "spec.rkeConfig.machineGlobalConfig", kProxy, kOther, "options of RKE2 and K3s"},
      {"RancherCluster", "spec.rkeConfig.machineSelectorConfig", kProxy, kOther, "options of RKE2 and K3s"},
      {"RancherCluster", "spec.rkeConfig.chartValues", kProxy, kOther, "settings of pods"},
      {"RancherCluster", "spec.rkeConfig.machinePools", kProxy, kOther, "names of a person's choice"},
      {"RancherCluster", "status", kProxy, kOther, "what Rancher reports"},

      {"PodTemplate", "HTTP_PROXY", kProxy, kApplied, ""},
      {"PodTemplate", "HTTPS_PROXY", kProxy, kApplied, ""},
      {"PodTemplate", "NO_PROXY", kProxy, kApplied, ""},
      {"PodTemplate", "envFrom", kProxy, kNamed, "objects with more variables"},
      {"EnvironmentFile", "HTTP_PROXY", kProxy, kApplied, ""},
      {"EnvironmentFile", "HTTPS_PROXY", kProxy, kApplied, ""},
      {"EnvironmentFile", "NO_PROXY", kProxy, kApplied, ""},
      {"SystemdUnit", "HTTP_PROXY", kProxy, kApplied, ""},
      {"SystemdUnit", "HTTPS_PROXY", kProxy, kApplied, ""},
      {"SystemdUnit", "NO_PROXY", kProxy, kApplied, ""},
      {"SystemdUnit", "EnvironmentFile", kProxy, kNamed, "a file with more variables"},
      {"SystemdUnit", "PassEnvironment", kProxy, kNamed, "variables of systemd itself"},
  });
}

constexpr auto kRows = Rows();

// Parts of names, in lower case, with what a member of such a name is about.
constexpr std::array<std::pair<std::string_view, Subject>, 9> kSpeakingNames = {
    {{"trust", Subject::kTrust},
     {"cabundle", Subject::kTrust},
     {"cacert", Subject::kTrust},
     {"cadata", Subject::kTrust},
     {"certificateauthorit", Subject::kTrust},
     {"rootca", Subject::kTrust},
     {"proxy", Subject::kProxy},
     {"registr", Subject::kRegistries},
     {"mirror", Subject::kRegistries}}};

// Variables with which programs on Linux find certificates. curl, OpenSSL, Node.js, Python's requests, AWS' tools, git.
constexpr std::array<std::string_view, 7> kTrustVariables = {
    "CURL_CA_BUNDLE",     "SSL_CERT_FILE", "SSL_CERT_DIR",  "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE", "GIT_SSL_CAINFO"};

std::string_view WordsOf(Subject subject) {
  switch (subject) {
    case Subject::kProxy:
      return "a proxy";
    case Subject::kTrust:
      return "trusted certificates";
    case Subject::kRegistries:
      return "image registries";
  }
  return "";
}

const Subject* SubjectOfName(std::string_view name) {
  const std::string lower = AsciiLower(name);
  const auto* const found =
      std::ranges::find_if(kSpeakingNames, [&](const auto& one) { return lower.find(one.first) != std::string::npos; });
  return found == kSpeakingNames.end() ? nullptr : &found->second;
}

bool IsEmpty(const JsonValue& value) {
  return value.IsNull() || value.IsFalse() || (value.IsString() && value.GetStringLength() == 0) ||
         (value.IsArray() && value.Empty()) || (value.IsObject() && value.ObjectEmpty());
}

class Walk {
 public:
  Walk(std::string_view document, egress::EgressConfig& config) : document_(document), config_(config) {}

  // `member` is the value's place as in the table, `path` its JSON path, `level` how deep it is.
  void Look(const JsonValue& value, const std::string& member, const std::string& path, std::size_t level = 0) {
    if (level == kMostLevels) return;
    if (value.IsArray()) {
      for (rapidjson::SizeType i = 0; i < value.Size(); ++i)
        Look(value[i], member, fmt::format("{}[{}]", path, i), level + 1);
    }
    if (!value.IsObject()) return;
    for (auto one = value.MemberBegin(); one != value.MemberEnd(); ++one) {
      const std::string_view name = JsonTextOf(one->name);
      if (IsEmpty(one->value) || (member.empty() && name == "metadata")) continue;
      LookAtMember(one->value,
                   member.empty() ? std::string(Shorten(name)) : fmt::format("{}.{}", member, Shorten(name)),
                   fmt::format("{}.{}", path, Shorten(name)), name, level);
    }
  }

 private:
  // Settings lie a few levels deep. A hostile document may have a thousand, which would take the stack and much time.
  static constexpr std::size_t kMostLevels = 16;

  void LookAtMember(const JsonValue& value, const std::string& member, const std::string& path, std::string_view name,
                    std::size_t level) {
    for (const SourceMember& row : kRows) {
      if (row.document != document_ || !EqualsIgnoreAsciiCase(row.member, member)) continue;
      if (row.use == Use::kNamed) ReportNotRead(row.subject, Shorten(name), row.words, path, config_);
      return;
    }
    if (const Subject* subject = SubjectOfName(name)) {
      ReportNotRead(*subject, Shorten(name), "this version does not know it", path, config_);
    } else {
      Look(value, member, path, level + 1);
    }
  }

  std::string_view document_;
  egress::EgressConfig& config_;
};

}  // namespace

std::span<const SourceMember> SourceMembers() { return kRows; }

void ReportOtherMembers(std::string_view document, const ObjectView& object, egress::EgressConfig& config) {
  Walk(document, config).Look(object.value(), "", object.path());
}

const SourceMember* FindFile(std::string_view path) {
  const auto* const found = std::ranges::find_if(kRows, [&](const SourceMember& row) {
    if (row.document != "Ignition") return false;
    if (row.member == path) return true;
    const std::string_view folder = row.member.substr(0, row.member.find('*'));
    if (folder.size() == row.member.size() || !path.starts_with(folder)) return false;
    return row.member.ends_with("**") || path.find('/', folder.size()) == std::string_view::npos;
  });
  return found == kRows.end() ? nullptr : found;
}

void ReportOtherVariables(std::span<const std::string_view> names, const std::string& where,
                          egress::EgressConfig& config) {
  for (const std::string_view name : names) {
    // Names of the three in lower case have a finding of their own.
    const auto is_name = [&](std::string_view other) { return EqualsIgnoreAsciiCase(name, other); };
    if (std::ranges::any_of(egress::kProxyVariables, is_name)) continue;
    if (AsciiLower(name).ends_with("_proxy")) {
      ReportNotRead(Subject::kProxy, Shorten(name),
                    name == egress::kNodeVariable
                        ? "explain alone uses it; Windows nodes get HTTP_PROXY, HTTPS_PROXY and NO_PROXY only"
                        : "Windows nodes get HTTP_PROXY, HTTPS_PROXY and NO_PROXY only",
                    where, config);
    } else if (std::ranges::any_of(kTrustVariables, is_name)) {
      ReportNotRead(Subject::kTrust, Shorten(name), "it names a file of the machine that it was written for", where,
                    config);
    }
  }
}

void ReportNotRead(Subject subject, std::string_view what, std::string_view words, std::string where,
                   egress::EgressConfig& config) {
  constexpr auto kMostNamed = static_cast<std::ptrdiff_t>(CappedFindings::kMost);
  if (subject == Subject::kTrust) config.not_read.trust = true;
  if (subject == Subject::kProxy) config.not_read.proxy = true;
  const auto is_same = [](const Finding& finding) { return finding.code == "not-read"; };
  const auto count = std::ranges::count_if(config.findings, is_same);
  if (count > kMostNamed) return;
  if (count == kMostNamed) {
    AddWarning(config.findings, "not-read", "more parts of the source are not read", std::move(where));
    return;
  }
  std::string message = fmt::format("{}, which is about {}, is not read: {}", what, WordsOf(subject), words);
  if (subject == Subject::kTrust) message += "; so no certificate is removed because of this source";
  if (subject == Subject::kRegistries) {
    AddInfo(config.findings, "not-read", std::move(message), std::move(where));
  } else {
    AddWarning(config.findings, "not-read", std::move(message), std::move(where));
  }
}

}  // namespace prov::source
