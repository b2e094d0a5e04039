#include "provisioner/publish/publish.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/pki/certificate_review.h"
#include "provisioner/pki/trust_bundle.h"
#include "provisioner/publish/no_proxy_merge.h"
#include "provisioner/publish/objects.h"
#include "provisioner/publish/proxy_env.h"
#include "provisioner/publish/request_uri.h"
#include "provisioner/publish/trust_merge.h"
#include "provisioner/publish/yaml_writer.h"

namespace prov::publish {
namespace {

constexpr std::string_view kConfigGroup = "config.openshift.io";

void Append(Findings& to, Findings from) { std::ranges::move(from, std::back_inserter(to)); }

// Whether one of the URLs may hold a credential.
bool HoldsCredentials(const ProxyValues& values) {
  return egress::MayHoldCredentials(values.http_proxy.Reveal()) ||
         egress::MayHoldCredentials(values.https_proxy.Reveal());
}

// The name of an object for a message, redacted: a URL may have been pasted there.
std::string Named(std::string_view name) { return GoQuote(ShownUri(name)); }

class Publisher {
 public:
  Publisher(PublishRequest request, const ProbePorts& ports) : request_(std::move(request)), ports_(ports) {}
  Result<Publication> Run();

 private:
  Result<void> ReadProxy();
  Result<void> ReadTrust();
  Result<void> ReadUserBundle();
  Result<void> ReadSystemBundle();
  void ReviewUserBundle();
  Result<void> MergeStatus();
  void ReviewStatus(const egress::ClusterFacts& facts);
  Result<void> ProbeEndpoints();
  Result<void> CheckProbeTrust() const;
  void ReviewProbes();
  void Render();

  void Warn(FindingCode code, std::string message, std::string where) {
    AddWarning(out_.findings, code, std::move(message), std::move(where));
  }
  void Inform(FindingCode code, std::string message, std::string where) {
    AddInfo(out_.findings, code, std::move(message), std::move(where));
  }

  PublishRequest request_;
  ProbePorts ports_;
  Publication out_;
  Object proxy_;
  ProxySpec spec_;
  std::optional<std::string> user_text_;
  std::optional<std::string> system_text_;
  std::vector<pki::Certificate> user_certificates_;
  std::vector<pki::Certificate> roots_;  // of user and system
};

Result<void> Publisher::ReadProxy() {
  const std::string& where = request_.proxy.where;
  proxy_ = PROV_TRY(ReadObject(std::move(request_.proxy.bytes), where, "Proxy", kConfigGroup));
  spec_ = PROV_TRY(ReadProxySpec(ViewOf(proxy_)));
  out_.status = spec_.status;
  out_.errors = ValidateProxySpec(spec_);
  ReviewProxySpec(spec_, where, out_.findings);
  return {};
}

Result<void> Publisher::ReadTrust() {
  if (request_.user_ca && spec_.trusted_ca.empty()) {
    Warn("user-ca-unused",
         "spec.trustedCA names no ConfigMap, so the operator leaves these certificates out of pods' bundles; nodes get "
         "a ConfigMap user-ca-bundle nevertheless",
         request_.user_ca->where);
  } else if (request_.user_ca) {
    PROV_TRY(ReadUserBundle());
  } else if (!spec_.trusted_ca.empty()) {
    const std::string message =
        fmt::format("the bundle of the ConfigMap {} in {}, which spec.trustedCA names, was not given (--user-ca)",
                    Named(spec_.trusted_ca), kConfigNamespace);
    if (request_.render) return Fail(Code::kNotFound, message, request_.proxy.where);
    Warn("trusted-ca-missing", message + ", so it is not checked", request_.proxy.where);
  }
  return request_.system_ca ? ReadSystemBundle() : Result<void>();
}

Result<void> Publisher::ReadUserBundle() {
  BundleSource source = PROV_TRY(ReadBundleSource(std::move(request_.user_ca->bytes), request_.user_ca->where));
  if (source.is_config_map && !source.name.empty() && source.name != spec_.trusted_ca) {
    return Fail(
        Code::kNotFound,
        fmt::format("holds the ConfigMap {}, and spec.trustedCA names {}", Named(source.name), Named(spec_.trusted_ca)),
        request_.user_ca->where);
  }
  const std::string_view name_space = spec_.trusted_ca == kMergedBundle ? kManagedNamespace : kConfigNamespace;
  if (!source.name_space.empty() && source.name_space != name_space) {
    Warn("trusted-ca-namespace", fmt::format("the operator looks for this ConfigMap in {}", name_space),
         request_.user_ca->where);
  }
  auto certificates = CheckBundle(source, spec_.trusted_ca);
  if (!certificates) {
    out_.errors.push_back(std::move(certificates).error());
    return {};
  }
  user_certificates_ = *std::move(certificates);
  roots_ = user_certificates_;
  user_text_ = PROV_TRY(WithoutPrivateKeys(*source.text, source.where, out_.findings));
  ReviewUserBundle();
  return {};
}

void Publisher::ReviewUserBundle() {
  const std::string& where = request_.user_ca->where;
  Findings findings;
  const auto ours = pki::ParseTrustBundle(*user_text_, where, findings);
  if (!ours) {
    Warn("trust-bundle",
         fmt::format("the operator accepts this bundle, but a part of it is damaged: {}", ours.error().message),
         ours.error().where);
  } else if (ours->size() != user_certificates_.size()) {
    Warn("trust-bundle",
         fmt::format("the operator sees {} certificate(s) in this bundle, and there are {}: it passes over blocks that "
                     "don't begin at the start of a line, have headers or are damaged",
                     user_certificates_.size(), ours->size()),
         where);
  }
  Append(out_.findings, std::move(findings));
  Append(out_.findings, pki::ReviewCertificates(user_certificates_, ports_.clock.NowUnix(), where));
}

Result<void> Publisher::ReadSystemBundle() {
  const std::string& where = request_.system_ca->where;
  const BundleSource source = PROV_TRY(ReadBundleSource(std::move(request_.system_ca->bytes), where));
  const std::string text = source.text.value_or("");
  if (TrimBlanks(text).empty()) {
    return Fail(Code::kCert,
                fmt::format("holds no certificate{}; the operator's image always has some: give its bundle, or leave "
                            "--system-ca out",
                            source.text ? std::string() : fmt::format(" (the ConfigMap has no {})", kBundleKey)),
                where);
  }
  system_text_ = PROV_TRY(WithoutPrivateKeys(text, source.where, out_.findings));
  auto certificates = CheckBundle(source, kMergedBundle);
  if (!certificates) return Fail(Code::kCert, std::move(certificates).error(), where);
  std::ranges::move(*certificates, std::back_inserter(roots_));
  return {};
}

Result<void> Publisher::MergeStatus() {
  const Object infrastructure_object = PROV_TRY(ReadObject(
      std::move(request_.infrastructure.bytes), request_.infrastructure.where, "Infrastructure", kConfigGroup));
  Infrastructure infrastructure = PROV_TRY(ReadInfrastructure(ViewOf(infrastructure_object)));
  const bool hosted = infrastructure.hosted.value_or(false);
  infrastructure.api_by_proxy = request_.internal_apiserver_address;
  // The operator has a switch for each of the two. Only HyperShift sets this one, so it is also one for the other,
  // unless the object says that there is no HyperShift.
  if (infrastructure.api_by_proxy && !infrastructure.hosted) infrastructure.hosted = true;
  const Object network_object =
      PROV_TRY(ReadObject(std::move(request_.network.bytes), request_.network.where, "Network", kConfigGroup));
  const Network network = PROV_TRY(ReadNetwork(ViewOf(network_object)));
  std::optional<InstallConfig> install_config;
  if (request_.install_config) {
    install_config =
        PROV_TRY(ReadInstallConfig(std::move(request_.install_config->bytes), request_.install_config->where));
  }
  if (!out_.valid()) return {};
  ProxyValues status = spec_.values;
  const bool merges = !status.IsEmpty() && status.no_proxy != "*";
  if (merges && request_.install_config && !install_config) {
    out_.errors.emplace_back("missing install-config in configmap");
    return {};
  }
  if (merges && !request_.install_config) {
    Warn("install-config-missing",
         "no install-config was given, so the machine networks, which the operator adds, are not in noProxy",
         "status.noProxy");
  }
  if (merges) {
    auto merged = MergeNoProxy(spec_.values.no_proxy, infrastructure, network, install_config);
    if (!merged) {
      out_.errors.push_back(std::move(merged).error());
      return {};
    }
    status.no_proxy = *std::move(merged);
  }
  if (merges && hosted && !infrastructure.api_by_proxy) {
    Inform("hosted-control-plane",
           "the control plane is hosted, and this is noProxy of a private one; of one that nodes reach by its public "
           "address the API server is not in noProxy: --internal-apiserver-address gives that",
           request_.infrastructure.where);
  }
  if (merges && infrastructure.platform == "AWS" && infrastructure.region.empty()) {
    Warn("region-missing",
         "the Infrastructure names no region of AWS, so the domain of its nodes (.REGION.compute.internal) is not in "
         "noProxy",
         request_.infrastructure.where);
  }
  out_.status = std::move(status);
  ReviewStatus(FactsOf(infrastructure, network));
  return {};
}

void Publisher::ReviewStatus(const egress::ClusterFacts& facts) {
  const std::string where = "status.noProxy";
  const auto list = egress::NoProxy::Parse(out_.status.no_proxy, where);
  if (!list) {
    Warn("no-proxy", list.error().message, where);
  } else if (!out_.status.no_proxy.empty()) {
    Append(out_.findings, egress::LintNoProxy(*list, facts, where));
  }
  ReviewProxyEnv(RenderProxyEnv(out_.status), out_.status, out_.findings);
}

// With a trustedCA, the operator trusts the user's and the system's certificates. With only one of them, a probe could
// fail here that succeeds there.
Result<void> Publisher::CheckProbeTrust() const {
  if (spec_.trusted_ca.empty() || (request_.user_ca && request_.system_ca)) return {};
  return Fail(Code::kNotFound,
              fmt::format("--probe needs {} where spec.trustedCA is set: the operator trusts the user's certificates "
                          "together with the system's",
                          request_.user_ca     ? "--system-ca"
                          : request_.system_ca ? "--user-ca"
                                               : "--user-ca and --system-ca"),
              request_.proxy.where);
}

Result<void> Publisher::ProbeEndpoints() {
  const bool checked = !spec_.values.IsEmpty() && !spec_.readiness_endpoints.empty();
  if (!request_.probe) {
    if (checked) Inform("not-probed", "the readiness endpoints were not asked; --probe does it", request_.proxy.where);
    return {};
  }
  if (!checked) {
    Inform("not-probed", "the spec names no readiness endpoint, so there is nothing to ask", request_.proxy.where);
    return {};
  }
  PROV_TRY(CheckProbeTrust());
  if (!out_.valid()) return {};
  if (!system_text_) {
    Inform("system-ca-missing", "no --system-ca was given: the probes trust what this system trusts",
           request_.proxy.where);
  }
  out_.probes = ProbeReadiness(spec_, roots_, ports_);
  ReviewProbes();
  return {};
}

void Publisher::ReviewProbes() {
  for (const Probe& probe : out_.probes) {
    if (!probe.ok) out_.errors.push_back(probe.error);
    if (!probe.ok || probe.status < 300) continue;
    Warn(
        "probe-redirect",
        fmt::format("'{}' answered with the redirect {}, which the operator follows and a probe here does not; ask the "
                    "address it leads to, too",
                    probe.url, probe.status),
        request_.proxy.where);
  }
  if (out_.valid() && out_.probes.size() < spec_.readiness_endpoints.size()) {
    Warn("not-probed", fmt::format("only the first {} readiness endpoints were asked", out_.probes.size()),
         request_.proxy.where);
  }
}

// Writes the status last, so that whoever sees it can rely on the other files.
void Publisher::Render() {
  const std::string bundle = MergeBundles(user_text_, system_text_);
  if (!system_text_) {
    Inform(
        "system-ca-missing",
        "no --system-ca was given: the operator appends the system's bundle of its image, which is not in these files",
        "ca-bundle.crt");
  }
  out_.files.push_back({"ca-bundle.crt", bundle, false});
  out_.files.push_back({"trusted-ca-bundle.yaml", RenderTrustConfigMap(bundle), false});
  out_.files.push_back({"proxy.env", RenderProxyEnv(out_.status), HoldsCredentials(out_.status)});
  SetProxyStatus(proxy_, out_.status);
  std::string object = WriteYaml(*proxy_.root);
  // Annotations may contain old credentials.
  const bool secret =
      request_.proxy.owner_only || HoldsCredentials(spec_.values) || object.find('@') != std::string::npos;
  out_.files.push_back({"proxy.yaml", std::move(object), secret});
}

Result<Publication> Publisher::Run() {
  PROV_TRY(ReadProxy());
  PROV_TRY(ReadTrust());
  PROV_TRY(MergeStatus());
  PROV_TRY(ProbeEndpoints());
  if (!out_.valid()) {
    out_.status = spec_.status;
  } else if (request_.render) {
    Render();
  }
  return std::move(out_);
}

}  // namespace

Result<Publication> Publish(PublishRequest request, const ProbePorts& ports) {
  return Publisher(std::move(request), ports).Run();
}

}  // namespace prov::publish
