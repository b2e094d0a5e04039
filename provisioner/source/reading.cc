#include "provisioner/source/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/base64.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/pki/trust_bundle.h"
#include "provisioner/source/source_members.h"
#include "provisioner/source/url_elsewhere.h"

namespace prov::source {
namespace {

std::string EnvironmentText(const egress::EgressConfig& config) {
  std::string out;
  if (config.http_proxy) out += "HTTP_PROXY=" + config.http_proxy->Reveal() + "\n";
  if (config.https_proxy) out += "HTTPS_PROXY=" + config.https_proxy->Reveal() + "\n";
  if (config.no_proxy) out += "NO_PROXY=" + *config.no_proxy + "\n";
  return out;
}

}  // namespace

egress::SourceFile DescribeFile(std::string path, std::string_view bytes, unsigned mode) {
  return {std::move(path), true, ToHex(Sha256(bytes)), bytes.size(), mode};
}

void AssignVariables(std::span<const egress::Assignment> assignments, const std::string& where,
                     egress::EgressConfig& config) {
  std::vector<std::string_view> names;
  for (const egress::Assignment& a : assignments) {
    names.emplace_back(a.name);
    if (a.name == "HTTP_PROXY") config.http_proxy = a.value;
    if (a.name == "HTTPS_PROXY") config.https_proxy = a.value;
    if (a.name == "NO_PROXY") config.no_proxy = a.value.Reveal();
    if (a.name == egress::kNodeVariable) config.node_env_proxy = a.value.Reveal() == "1";
  }
  ReportOtherVariables(names, where, config);
  if (const egress::Assignment* other = UrlInOtherCase(assignments, config)) {
    ReportNotRead(Subject::kProxy, other->name,
                  "only the name in upper case counts; so the source makes no statement about the proxy", where,
                  config);
  }
}

void StateProxy(egress::EgressConfig& config, std::string path) {
  config.proxy_file = DescribeFile(std::move(path), EnvironmentText(config));
}

void TakeMirrors(Result<registries::Mirrors> read, egress::EgressConfig& config) {
  if (read) {
    config.mirrors.places = std::move(read->places);
    config.mirrors.registries = std::move(read->registries);
    return;
  }
  AddWarning(config.findings, "mirrors-invalid",
             fmt::format("the mirrors of image registries can't be read: {}", read.error().message),
             read.error().where);
  config.mirrors.fault = std::move(read).error();
}

void TakeRegistryCa(std::string host, std::string_view bytes, const std::string& where, egress::EgressConfig& config) {
  Findings ignored;
  const auto certificates = pki::ParseTrustBundle(bytes, where, ignored);
  if (!certificates || certificates->empty()) {
    std::string message = fmt::format("the CA of the registry {} can't be read: {}", Shorten(host),
                                      certificates ? "the file holds no certificate" : certificates.error().message);
    AddWarning(config.findings, "mirrors-invalid", message, where);
    config.mirrors.ca_fault = Error{Code::kRegistries, std::move(message), where};
    return;
  }
  std::vector<registries::RegistryCa>& cas = config.mirrors.cas;
  auto found = std::ranges::find(cas, host, &registries::RegistryCa::host);
  if (found == cas.end()) found = cas.insert(cas.end(), {std::move(host), {}});
  for (const pki::Certificate& one : *certificates) found->certificates.push_back(one.der);
}

Result<void> ReadProxyMembers(const ObjectView& object, egress::EgressConfig& config) {
  const std::string_view http = PROV_TRY(object.TextOr("httpProxy", ""));
  const std::string_view https = PROV_TRY(object.TextOr("httpsProxy", ""));
  const std::string_view no_proxy = PROV_TRY(object.TextOr("noProxy", ""));
  if (!http.empty()) config.http_proxy = Secret(std::string(http));
  if (!https.empty()) config.https_proxy = Secret(std::string(https));
  if (!no_proxy.empty()) config.no_proxy = std::string(no_proxy);
  return {};
}

Result<std::string> DecodeTrustBase64(std::string_view text, std::string_view message_start, const std::string& where) {
  std::string packed(TrimBlanks(text));
  std::erase_if(packed, [](char c) { return c == '\r' || c == '\n'; });
  auto decoded = DecodeBase64(packed);
  if (decoded) return *std::move(decoded);
  const bool pem = packed.find("-----BEGIN") != std::string::npos;
  const std::string problem =
      pem ? "it is PEM text as it stands; encode it with base64"
          : fmt::format("byte {} of {} does not fit (cut short?)", decoded.error() + 1, packed.size());
  return Fail(Code::kCert, fmt::format("{}the trust bundle is not base64: {}", message_start, problem), where);
}

namespace {

Result<void> AddCertificates(const TrustText& trust, egress::EgressConfig& out) {
  std::vector<pki::Certificate> found = PROV_TRY(pki::ParseTrustBundle(trust.bytes, trust.where, out.findings));
  if (found.empty() && !trust.may_be_empty) {
    return Fail(Code::kCert,
                "the trust bundle holds no certificate; no cluster has one like that, so it is taken as damaged",
                trust.where);
  }
  if (trust.system_roots) {
    AddWarning(out.findings, "system-roots",
               fmt::format("the bundle is a merged one: its {} certificates are the cluster's additional ones together "
                           "with the roots of its operating system; leave those out with --subtract FILE (a system "
                           "bundle, e.g. /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem)",
                           found.size()),
               trust.where);
  }
  for (pki::Certificate& certificate : found) {
    certificate.source = trust.where;
    out.certificates.push_back(std::move(certificate));
  }
  return {};
}

}  // namespace

Result<egress::EgressConfig> Finish(Reading reading) {
  egress::EgressConfig out = std::move(reading.config);
  if (reading.trust.empty()) {
    if (!HasFinding(out.findings, "no-trust-file")) {
      AddInfo(out.findings, "no-trust-file",
              "the source makes no statement about certificates, so they stay as they are", out.proxy_file.path);
    }
    return out;
  }
  const TrustText& first = reading.trust.front();
  out.trust_file = DescribeFile(first.where, first.bytes, first.mode);
  for (const TrustText& trust : reading.trust) PROV_TRY(AddCertificates(trust, out));
  return out;
}

}  // namespace prov::source
