// `extract`: the EgressConfig of a source as JSON, as an environment file or as PEM.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "provisioner/base/hash.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/egress/environment_file.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/review.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/pki/certificate.h"
#include "provisioner/pki/trust_bundle.h"
#include "provisioner/registries/registries_conf.h"

namespace prov::cli {
namespace {

using egress::EgressConfig;

std::string UrlText(const Secret& url, bool show_secrets) {
  return show_secrets ? url.Reveal() : egress::RedactUrl(url.Reveal());
}

void WriteFileMembers(JsonWriter& json, const egress::SourceFile& file) {
  json.Member("path", file.path).Member("present", file.present);
  if (!file.present) return;
  json.Member("sha256", file.sha256).Member("bytes", file.bytes).Member("mode", fmt::format("{:04o}", file.mode));
}

void WriteCertificate(JsonWriter& json, const pki::Certificate& c, const pki::TrustedDigests& trusted) {
  json.BeginObject()
      .Member("sha1", c.sha1)
      .Member("sha256", c.sha256)
      .Member("subject", c.subject)
      .Member("issuer", c.issuer);
  json.Member("serial", c.serial).Member("notBefore", c.not_before).Member("notAfter", c.not_after);
  json.Member("isCa", c.is_ca)
      .Member("selfSigned", c.self_signed)
      .Member("key", fmt::format("{} {}", c.key_algorithm, c.key_bits));
  json.Member("store", pki::NameOf(pki::StoreFor(c, trusted))).Member("file", c.source).EndObject();
}

// null: the source makes no statement about image registries.
void WriteMirrors(JsonWriter& json, const registries::Mirrors& mirrors) {
  json.Key("mirrors");
  if (!mirrors.stated() && mirrors.cas.empty()) {
    json.Null();
    return;
  }
  json.BeginObject().Strings("places", mirrors.places).Key("registries").BeginArray();
  for (const registries::Registry& one : mirrors.registries) {
    json.BeginObject().Member("prefix", one.prefix).Member("location", one.location);
    json.Member("blocked", one.blocked).Member("insecure", one.insecure).Key("mirrors").BeginArray();
    for (const registries::Mirror& mirror : one.mirrors) {
      json.BeginObject().Member("location", mirror.location).Member("insecure", mirror.insecure);
      json.Member("use", registries::NameOf(mirror.use)).EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray().Key("cas").BeginArray();
  for (const registries::RegistryCa& ca : mirrors.cas) {
    json.BeginObject().Member("host", ca.host).Key("certificates").BeginArray();
    for (const std::string& der : ca.certificates) {
      const auto certificate = pki::ParseCertificate(der, ca.host);
      json.BeginObject().Member("sha256", ToHex(Sha256(der)));
      json.Member("subject", certificate ? certificate->subject : std::string()).EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray().EndObject();
}

std::string ExtractJson(const EgressConfig& config, const pki::TrustedDigests& trusted, const Findings& findings,
                        bool show_secrets) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1);
  json.Key("source").BeginObject().Member("kind", config.source.kind).Member("name", config.source.name);
  json.Member("ignitionVersion", config.source.ignition_version).EndObject();
  json.Member("digest", egress::SettingsDigest(config));
  json.Key("proxy").BeginObject();
  if (config.http_proxy) json.Member("HTTP_PROXY", UrlText(*config.http_proxy, show_secrets));
  if (config.https_proxy) json.Member("HTTPS_PROXY", UrlText(*config.https_proxy, show_secrets));
  if (config.no_proxy)
    json.Member("NO_PROXY", show_secrets ? *config.no_proxy : egress::RedactNoProxy(*config.no_proxy));
  json.EndObject();
  json.Key("proxyFile").BeginObject();
  WriteFileMembers(json, config.proxy_file);
  json.EndObject();
  json.Key("trustBundle").BeginObject();
  WriteFileMembers(json, config.trust_file);
  json.Key("certificates").BeginArray();
  for (const pki::Certificate& certificate : config.certificates) WriteCertificate(json, certificate, trusted);
  json.EndArray().EndObject();
  WriteMirrors(json, config.mirrors);
  WriteFindings(json, findings);
  return json.EndObject().Text();
}

// Contains the secrets, because the output is for use. Refuses a line end in a value: a reader would take it for a new
// line.
Result<std::string> EnvironmentLines(const EgressConfig& config) {
  const std::array<std::pair<std::string_view, std::string>, 3> values = {
      {{"HTTP_PROXY", config.http_proxy.value_or(Secret()).Reveal()},
       {"HTTPS_PROXY", config.https_proxy.value_or(Secret()).Reveal()},
       {"NO_PROXY", config.no_proxy.value_or("")}}};
  std::string out;
  for (const auto& [name, value] : values) {
    if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
      return Fail(Code::kProxyUrl, "holds a line end or NUL, which NAME=value lines can't hold; correct the source",
                  fmt::format("{}: {}", config.proxy_file.path, name));
    }
    if (!value.empty()) out += egress::EnvironmentLine(name, value) + "\n";
  }
  return out;
}

struct ExtractOptions {
  std::string format;  // json, env or pem
  bool show_secrets = false;
  pki::TrustedDigests trusted;
  source::SourceSpec source;
};

Result<ExtractOptions> ParseExtractOptions(const Arguments& arguments) {
  ExtractOptions out;
  out.format = PROV_TRY(OneOf(arguments, "format"));
  PROV_TRY(WantsJson(arguments));  // checks the value only; the output is always JSON
  out.show_secrets = arguments.Has("show-secrets");
  out.trusted = PROV_TRY(NamedCertificates(arguments));
  out.source = PROV_TRY(ParseSourceSpec(arguments));
  return out;
}

Result<Outcome> RunExtract(const Arguments& arguments, machine::Host& host) {
  const ExtractOptions options = PROV_TRY(ParseExtractOptions(arguments));
  const pki::TrustedDigests& trusted = options.trusted;
  const EgressConfig config = PROV_TRY(node::ReadSource(host, options.source)).config;
  Findings findings = PROV_TRY(egress::Review(config, trusted, host.clock().NowUnix()));
  if (options.format == "env") return Outcome{0, PROV_TRY(EnvironmentLines(config)), std::move(findings)};
  if (options.format == "pem") return Outcome{0, pki::EncodePem(config.certificates), std::move(findings)};
  return Outcome{0, ExtractJson(config, trusted, findings, options.show_secrets), {}};
}

}  // namespace

Command ExtractCommand() {
  CommandSpec spec = {
      "extract",
      "Print the proxy settings and the additional trusted certificates that a source holds.",
      "SOURCE",
      "SOURCE is a file, or - for standard input: a rendered-worker MachineConfig as `oc get -o json` or\n"
      "`-o yaml` prints it; a List of MachineConfigs and MachineConfigPools, from which the config of the nodes of\n"
      "--pool is taken; an Ignition config (2.0 to 2.2, 3.0 and later); a Proxy or HyperShift's HostedCluster with\n"
      "its ConfigMaps; a ControllerConfig; an install-config; AKS' httpProxyConfig or the output of `az aks show`;\n"
      "Rancher's Cluster; a ConfigMap or ClusterTrustBundle alone; a Pod or Deployment; a proxy.env; a unit of\n"
      "systemd; a file of certificates (PEM). The content decides how a file is read. A folder is a\n"
      "payload that `bake` wrote, or what `oc adm must-gather` or `oc adm inspect` wrote, which may also be a\n"
      ".tar.gz. Remote sources: https://HOST/PATH, http://HOST/PATH#sha256=DIGEST,\n"
      "mcs://api-int.CLUSTER:22623/POOL (a Machine Config Server, verified with --ca) and kube:// (the cluster's\n"
      "API: kube:///POOL, kube:///proxy, kube:///configmap/NAMESPACE/NAME and others). A pointer config (worker.ign,\n"
      "or the Secret worker-user-data-managed) is followed, and its server is verified with the CAs\n"
      "that the config itself names.",
      "  $ oc get machineconfigpools,machineconfigs -o json | provisioner extract - --format env\n"
      "  HTTP_PROXY=http://proxy.example.com:3128\n"
      "  HTTPS_PROXY=http://proxy.example.com:3128\n"
      "  NO_PROXY=.cluster.local,.svc,10.0.0.0/16,localhost",
      JoinOptions({SourceOptionSpecs(),
                   {{"format", "json|env|pem",
                     "json: everything; env: NAME=value lines, with passwords; pem: the certificates (default: json)",
                     Group::kOutput},
                    TrustOption(),
                    ShowSecretsOption()},
                   OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunExtract, .always_json = true};
}

}  // namespace prov::cli
